import { html, raw } from 'hono/html';
import { GRAPHQL_PATH, type Exchange } from './exchange.ts';

/** A page for a browser. */
export interface Page {
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
export async function sendPage(exchange: Exchange, { status, title, body, nonce }: Page): Promise<void> {
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

const IS_OFF = html`<p>
  GraphiQL is disabled on this server; its operator can enable it with <code>GRAPHIQL=on</code>. It is enabled
  by default only if the server listens on a loopback address.
</p>`;

/** Sends a page for an unknown path, with a link to continue; the path is not repeated. */
export async function sendNotFoundPage(exchange: Exchange, hasGraphiql: boolean): Promise<void> {
  const title = 'Page not found';
  const next = hasGraphiql ? html`<p><a class="button" href="${GRAPHQL_PATH}">Open GraphiQL</a></p>` : IS_OFF;
  const body = html`<h1 class="error">${title}</h1>
    <p>This is a GraphQL server; programs send requests by POST to <code>${GRAPHQL_PATH}</code>.</p>
    ${next}`;
  exchange.headers['vary'] = 'accept';
  await sendPage(exchange, { status: 404, title, body });
}
