import { randomBytes } from 'node:crypto';
import { html, raw } from 'hono/html';
import { GRAPHIQL_HANDOVER_KEY } from '../../../packages/explorer/src/options.ts';
import type { Exchange } from '../exchange.ts';
import { sendPage } from '../page.ts';
import { MESSAGES, type Message, type MessageName } from './messages.ts';

/** Sends a page that explains why an authorisation ended without a token. */
export async function sendMessagePage(exchange: Exchange, name: MessageName): Promise<void> {
  const { status, title, text, mayStartAgain, isNotice }: Message = MESSAGES[name];
  const tone = isNotice ? 'notice' : 'error';
  const again = mayStartAgain ? html`<p><a class="button" href="/connect">Start again</a></p>` : '';
  const body = html`<h1 class="${tone}">${title}</h1>
    <p class="message ${tone}" role="${isNotice ? 'note' : 'alert'}">${text}</p>
    ${again}`;
  await sendPage(exchange, { status, title, body });
}

/** Copies the token, or selects it if the browser does not allow copying. */
const COPY = `
  document.getElementById('copy').addEventListener('click', async () => {
    const token = document.getElementById('token');
    const copied = document.getElementById('copied');
    try {
      await navigator.clipboard.writeText(token.textContent);
      copied.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(token);
      copied.textContent = 'Selected: copy it with Ctrl-C or ⌘C';
    }
  });`;

/**
 * Sends the page that shows a token once, and passes it to GraphiQL in the tab's session storage, from which GraphiQL
 * removes it when it opens.
 */
export async function sendTokenPage(exchange: Exchange, accessToken: string): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const headers = JSON.stringify({ authorization: `Bearer ${accessToken}` }, null, 2);
  const handover = JSON.stringify([GRAPHIQL_HANDOVER_KEY, headers]).replaceAll('<', '\\u003c');
  const title = 'You are connected';
  const body = html`<h1>${title}</h1>
    <p>
      This is your access token for the legacy surface. It is shown only once and is not stored on this
      server.
    </p>
    <pre id="token">${accessToken}</pre>
    <p>
      <button id="copy" class="second">Copy</button>
      <span id="copied" role="status"></span>
    </p>
    <p>
      Send it with each request, in the header <code>authorization: Bearer TOKEN</code>, or try it in
      GraphiQL:
    </p>
    <p><button id="open">Open GraphiQL with it</button></p>
    <script nonce="${nonce}">
      ${raw(COPY)};
      document.getElementById('open').addEventListener('click', () => {
        sessionStorage.setItem(...${raw(handover)});
        location.href = '/graphql';
      });
    </script>`;
  await sendPage(exchange, { status: 200, title, body, nonce });
}
