import { randomBytes } from 'node:crypto';
import { html, raw } from 'hono/html';
import { DESK_HANDOVER_KEY } from '../../../packages/desk/src/options.ts';
import { GRAPHIQL_HANDOVER_KEY } from '../../../packages/explorer/src/options.ts';
import type { Config } from '../../config.ts';
import { GRAPHQL_PATH, type Exchange } from '../exchange.ts';
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

/** The pages of this server that take a token over, each from its own key of the tab's session storage. */
const TAKERS = [
  { page: 'desk', name: 'Desk', path: '/', key: DESK_HANDOVER_KEY, id: 'open-desk' },
  { page: 'graphiql', name: 'GraphiQL', path: GRAPHQL_PATH, key: GRAPHIQL_HANDOVER_KEY, id: 'open' },
] as const;

/**
 * Sends the page that shows a token once, and passes it to Desk or GraphiQL in the tab's session storage, from which they
 * remove it when they open.
 */
export async function sendTokenPage(
  exchange: Exchange,
  accessToken: string,
  pages: Pick<Config, 'desk' | 'graphiql'>,
): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const headers = JSON.stringify({ authorization: `Bearer ${accessToken}` }, null, 2);
  const takers = TAKERS.filter(({ page }) => pages[page]);
  const handover = JSON.stringify([takers, headers]).replaceAll('<', '\\u003c');
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
    <p>Send it with each request, in the header <code>authorization: Bearer TOKEN</code>, or try it here:</p>
    <p>${takers.map(({ name, id }) => html`<button id="${id}">Open ${name} with it</button> `)}</p>
    <script nonce="${nonce}">
      ${raw(COPY)};
      const [takers, headers] = ${raw(handover)};
      for (const { id, key, path } of takers)
        document.getElementById(id).addEventListener('click', () => {
          sessionStorage.setItem(key, headers);
          location.href = path;
        });
    </script>`;
  await sendPage(exchange, { status: 200, title, body, nonce });
}
