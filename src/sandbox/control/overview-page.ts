import { html } from 'hono/html';
import { page } from '../wire/pages.ts';
import type { Html } from '../wire/pages.ts';
import type { Overview } from './overview.ts';

/** The overview for a browser: no scripts, and no external resources. */
export function overviewPage(overview: Overview): Html {
  const { about, url, push } = overview;
  return page(
    'Overview',
    html`<h1>Sandbox at ${url}</h1>
      <p>${about}</p>
      ${ownersSection(overview)} ${oauthSection(overview)} ${faultsSection(overview)}
      ${callsSection(overview)}
      <h2>Push sockets</h2>
      <p>Slow AI texts arrive here, for connections with an <code>x-api-key</code>:</p>
      <ul>
        <li>socket.io: <code>${push.socketIo}</code></li>
        <li>WebSocket: <code>${push.webSocket}</code></li>
      </ul>`,
    'wide',
  );
}

function ownersSection({ owners, moreOwners }: Overview): Html {
  return html`<h2>Owners and their credentials</h2>
    <div class="cards">
      ${owners.map(
        (owner) =>
          html`<section>
            <h3>${owner.name}</h3>
            <p>
              ${owner.company}, with ${owner.accountCount} accounts and ${owner.queuedPostCount} queued posts
            </p>
            <dl>
              <dt>Current surface</dt>
              <dd><code>x-api-key: ${owner.apiKey}</code></dd>
              <dt>Legacy surface</dt>
              <dd><code>authorization: Bearer ${owner.accessToken}</code></dd>
              <dt>Login on the consent page</dt>
              <dd><code>${owner.login}</code></dd>
              <dt>Password</dt>
              <dd><code>${owner.password}</code></dd>
            </dl>
          </section>`,
      )}
    </div>
    ${moreOwners > 0 ? html`<p>… and ${moreOwners} more owners.</p>` : ''}`;
}

function oauthSection({ oauthApp }: Overview): Html {
  return html`<h2>OAuth app</h2>
    <p>
      The app <code>${oauthApp.clientId}</code> has the secret <code>${oauthApp.clientSecret}</code>. It asks
      people for access at <code>${oauthApp.consentPage}</code>.
    </p>`;
}

function faultsSection({ faults }: Overview): Html {
  return html`<h2>Faults</h2>
    <p>
      A fault makes one call, or all of them, fail in a given way. Planned now: ${faults.plannedCount}. Plan
      one, list them, and remove them all:
    </p>
    ${faults.tryIt.map((line) => html`<pre>${line}</pre>`)}
    <div class="scroll">
      <table>
        <tr>
          <th>Kind</th>
          <th>What the caller sees</th>
          <th>Fields</th>
        </tr>
        ${faults.kinds.map(
          ({ kind, summary, fields }) =>
            html`<tr>
              <td><code>${kind}</code></td>
              <td>${summary}</td>
              <td>
                ${fields.map(
                  ({ name, isRequired }) =>
                    html`<code>${name}</code>${isRequired ? '' : html` <small>optional</small>`} `,
                )}
              </td>
            </tr>`,
        )}
      </table>
    </div>
    <p>
      Every kind also takes <code>endpoint</code> (required), <code>owner</code>, <code>times</code> (1 unless
      given, or <code>"always"</code>), <code>skip</code> and <code>effect</code> (<code>"done"</code> or
      <code>"none"</code>). The project explains them in <code>docs/sandbox.md</code>.
    </p>`;
}

function callsSection({ calls }: Overview): Html {
  return html`<h2>Calls</h2>
    <p>Each call can be the <code>endpoint</code> of a fault; <code>*</code> stands for all of them.</p>
    <div class="cards">
      <section>
        <h3>Current surface</h3>
        ${listOf(calls.current)}
      </section>
      <section>
        <h3>Legacy surface</h3>
        ${listOf(calls.legacy)}
      </section>
    </div>`;
}

function listOf(names: readonly string[]): Html {
  return html`<ul>
    ${names.map((name) => html`<li><code>${name}</code></li>`)}
  </ul>`;
}
