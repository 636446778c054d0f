import { html } from 'hono/html';
import { page } from '../wire/pages.ts';
import type { Html } from '../wire/pages.ts';
import type { Overview } from './overview.ts';
import { SCRIPT_PATH } from './overview-script.ts';

const ACCOUNT_BUTTONS = [
  ['disconnect', 'Disconnect'],
  ['reconnect', 'Reconnect'],
  ['pause', 'Pause'],
  ['resume', 'Resume'],
  ['lock', 'Lock'],
  ['unlock', 'Unlock'],
  ['block', 'Block'],
  ['unblock', 'Unblock'],
] as const;

/** The overview for a browser; it loads nothing but its script. */
export function overviewPage(overview: Overview): Html {
  const { about, url, push } = overview;
  return page(
    'Overview',
    html`<h1>Sandbox at ${url}</h1>
      <p>${about}</p>
      ${eventsSection(overview)} ${ownersSection(overview)} ${oauthSection(overview)}
      ${faultsSection(overview)} ${callsSection(overview)}
      <h2>Push sockets</h2>
      <p>Slow AI texts are pushed here, to connections with an <code>x-api-key</code>:</p>
      <ul>
        <li>socket.io: <code>${push.socketIo}</code></li>
        <li>WebSocket: <code>${push.webSocket}</code></li>
      </ul>
      <script type="module" src="${SCRIPT_PATH}"></script>`,
    'wide',
  );
}

function eventsSection({ owners, events }: Overview): Html {
  return html`<h2>Trigger an event</h2>
    <p>
      The data changes as it would in the service, so that a client can observe it. Account events affect the
      selected account; post events affect its owner’s posts.
    </p>
    <label>
      Account
      <select id="account">
        ${owners.map(
          ({ name, accounts }) =>
            html`<optgroup label="${name}">
              ${accounts.map(
                ({ loginId, username }) =>
                  html`<option data-owner="${name}" data-login-id="${loginId}">
                    ${username || '(no name)'} · ${loginId}
                  </option>`,
              )}
            </optgroup>`,
        )}
      </select>
    </label>
    <div class="buttons">
      ${ACCOUNT_BUTTONS.map(
        ([event, label]) =>
          html`<button type="button" data-event="${event}" data-of="account">${label}</button>`,
      )}
    </div>
    <div class="buttons">
      <button type="button" data-event="publish">Publish the next post</button>
      <button type="button" data-event="fail">Fail the next post</button>
      <button type="button" data-event="advance" data-minutes="60">Let an hour pass</button>
      <button type="button" data-event="advance" data-minutes="1440">Let a day pass</button>
    </div>
    <div class="buttons">
      <button type="button" data-event="lose-answer">Lose the next response</button>
      <button type="button" data-event="remove-faults">Remove all faults</button>
    </div>
    <p id="happened" role="status"></p>
    <h3>Recent requests</h3>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Time (UTC)</th>
            <th>Owner</th>
            <th>Endpoint</th>
            <th>Status</th>
            <th>Fault</th>
          </tr>
        </thead>
        <tbody id="calls"></tbody>
      </table>
    </div>
    ${eventKinds(events)}`;
}

function eventKinds({ kinds, tryIt }: Overview['events']): Html {
  return html`<details>
    <summary>Events from a terminal</summary>
    ${tryIt.map((line) => html`<pre>${line}</pre>`)}
    <dl>
      ${kinds.map(
        ({ kind, summary, fields }) =>
          html`<dt><code>${kind}</code></dt>
            <dd>${summary} Optional: ${fields.map((field) => html`<code>${field}</code> `)}</dd>`,
      )}
    </dl>
  </details>`;
}

function ownersSection({ owners, moreOwners }: Overview): Html {
  return html`<h2>Owners and their credentials</h2>
    <div class="cards">
      ${owners.map(
        (owner) =>
          html`<section>
            <h3>${owner.name}</h3>
            <p>
              ${owner.company}, with ${owner.queuedPostCount} queued posts, ${owner.accountCounts.current}
              accounts on the current surface and ${owner.accountCounts.legacy} on the legacy surface
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
      The app <code>${oauthApp.clientId}</code> has the secret <code>${oauthApp.clientSecret}</code>. Its
      consent page is <code>${oauthApp.consentPage}</code>.
    </p>`;
}

function faultsSection({ faults }: Overview): Html {
  return html`<h2>Faults</h2>
    <p>
      A fault makes one endpoint, or all of them, fail in a given way. Planned now: ${faults.plannedCount}.
      Add one, list them, and remove them all:
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
      Every kind also takes <code>endpoint</code> (required), <code>owner</code>, <code>times</code> (default
      1, or <code>"always"</code>), <code>skip</code> and <code>effect</code> (<code>"done"</code> or
      <code>"none"</code>). The project explains them in <code>docs/sandbox.md</code>.
    </p>`;
}

function callsSection({ calls }: Overview): Html {
  return html`<h2>Endpoints</h2>
    <p>Each of them can be the <code>endpoint</code> of a fault; <code>*</code> means all of them.</p>
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
