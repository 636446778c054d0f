import { randomBytes } from 'node:crypto';
import { html, raw } from 'hono/html';
import { DESK_HANDOVER_KEY } from '../../../packages/desk/src/options.ts';
import { GRAPHIQL_HANDOVER_KEY } from '../../../packages/explorer/src/options.ts';
import type { Config } from '../../config.ts';
import { GRAPHQL_PATH, type Exchange } from '../exchange.ts';
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

/** A page for a browser. */
interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: ReturnType<typeof html>;
  /** Allows the page's one script to run. */
  readonly nonce?: string;
}

// The colours of the sandbox's pages, from which many visitors come here.
const LIGHT = `--page: #f3f1ec; --paper: #fff; --ink: #23211e; --line: #d9d4c8; --code: #f3f1ec; --accent: #1f6b4f;
  --on-accent: #fff; --error: #a3261e; --error-paper: #fbe9e7; --notice: #8a5a00; --notice-paper: #fbf1dc;`;
const DARK = `--page: #191816; --paper: #24221f; --ink: #ece8e0; --line: #443f37; --code: #191816; --accent: #7fd1ae;
  --on-accent: #14201b; --error: #f2a199; --error-paper: #43211d; --notice: #e6c27a; --notice-paper: #3b301a;`;

const STYLE = `
  :root { color-scheme: light dark; ${LIGHT} }
  @media (prefers-color-scheme: dark) { :root { ${DARK} } }
  body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  main { box-sizing: border-box; max-width: 38rem; margin: 8vh auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
  h1 { margin-top: 0; font-size: 1.3rem; }
  h1.error { color: var(--error); }
  h1.notice { color: var(--notice); }
  a { color: var(--accent); }
  code { overflow-wrap: anywhere; }
  pre { padding: 1rem; background: var(--code); border-radius: 4px; overflow-wrap: anywhere; white-space: pre-wrap; }
  .message { padding: 0.7rem 1rem; border-left: 4px solid; overflow-wrap: anywhere; }
  .message.error { border-color: var(--error); background: var(--error-paper); }
  .message.notice { border-color: var(--notice); background: var(--notice-paper); }
  button, .button { display: inline-block; padding: 0.5rem 1.2rem; font: inherit; border: 1px solid var(--accent); border-radius: 4px; background: var(--accent); color: var(--on-accent); text-decoration: none; cursor: pointer; }
  button.second { background: var(--paper); color: var(--accent); }
  [role='status'] { margin-left: 0.6rem; }
`;

/** Sends a page that loads nothing, and runs no script but its own. */
async function sendPage(exchange: Exchange, { status, title, body, nonce }: Page): Promise<void> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`;
  const script = nonce === undefined ? '' : ` script-src 'nonce-${nonce}';`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline';${script} base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  };
  exchange.send(status, headers, String(await page));
}
