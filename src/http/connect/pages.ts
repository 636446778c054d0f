import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { html, raw } from 'hono/html';
import { GRAPHIQL_HANDOVER_KEY } from '../explorer/options.ts';

const MESSAGES = {
  notAllowed: ['Not like this', 'This page is for reading with a browser.'],
  notConfigured: [
    'Not set up',
    'This server has no app on the legacy side of the service: OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and an address in OAUTH_REDIRECT_URIS that ends in /connect/callback are needed.',
  ],
  unknownState: [
    'Begin again',
    'This authorisation was not begun in this browser, was ended already, or took longer than ten minutes.',
  ],
  denied: ['Not authorised', 'The service gave no permission.'],
  badCode: ['Begin again', 'The service came back with something that is no authorisation code.'],
  notExchanged: ['Begin again', 'The service did not give a token for the authorisation code.'],
} as const;

/** A page that says how an authorisation ended, in words of ours only. */
export async function sendMessagePage(
  response: ServerResponse,
  status: number,
  message: keyof typeof MESSAGES,
): Promise<void> {
  const [title, text] = MESSAGES[message];
  const again =
    message === 'notConfigured' || message === 'notAllowed'
      ? ''
      : html`<p><a href="/connect">Begin again</a></p>`;
  await send(response, {
    status,
    title,
    body: html`<p>${text}</p>
      ${again}`,
  });
}

/**
 * The page that shows a token, once, and hands it over to GraphiQL: through the tab's own storage, from which GraphiQL
 * takes it away as it opens.
 */
export async function sendTokenPage(response: ServerResponse, accessToken: string): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const headers = JSON.stringify({ authorization: `Bearer ${accessToken}` }, null, 2);
  const handover = JSON.stringify([GRAPHIQL_HANDOVER_KEY, headers]).replaceAll('<', '\\u003c');
  const body = html`<p>
      This is your access token for the legacy side. It is shown this once, and kept nowhere here.
    </p>
    <pre id="token">${accessToken}</pre>
    <p>
      Send it with each request, as the header <code>authorization: Bearer …</code>, or see at once what it
      shows:
    </p>
    <p><button id="open">Open GraphiQL with it</button></p>
    <script nonce="${nonce}">
      document.getElementById('open').addEventListener('click', () => {
        sessionStorage.setItem(...${raw(handover)});
        location.href = '/graphql';
      });
    </script>`;
  await send(response, { status: 200, title: 'You are connected', body, nonce });
}

interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: ReturnType<typeof html>;
  readonly nonce?: string;
}

// As the pages of the sandbox look, by which many come here.
const STYLE = `
  body { margin: 0; background: #f3f1ec; color: #23211e; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 34rem; margin: 8vh auto; padding: 2rem; background: #fff; border: 1px solid #d9d4c8; border-radius: 8px; }
  h1 { margin-top: 0; font-size: 1.3rem; }
  a { color: #23564a; }
  code { overflow-wrap: anywhere; }
  pre { padding: 1rem; background: #f3f1ec; border-radius: 4px; overflow-wrap: anywhere; white-space: pre-wrap; }
  button { padding: 0.5rem 1.2rem; font: inherit; border: 1px solid #23564a; border-radius: 4px; background: #23564a; color: #fff; cursor: pointer; }
`;

async function send(response: ServerResponse, { status, title, body, nonce }: Page): Promise<void> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
  const script = nonce === undefined ? '' : ` script-src 'nonce-${nonce}';`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline';${script} base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  });
  response.end((await page).toString());
}
