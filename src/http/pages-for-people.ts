import type { ServerResponse } from 'node:http';
import { html } from 'hono/html';
import { sendPage } from './page.ts';
import { GRAPHQL_PATH } from './admission.ts';

const IS_OFF = html`<p>
  GraphiQL is disabled on this server; its operator can enable it with <code>GRAPHIQL=on</code>. It is enabled
  by default only if the server listens on a loopback address.
</p>`;

/** Sends a page for an unknown path, with a link to continue; the path is not repeated. */
export async function sendNothingHere(response: ServerResponse, hasGraphiql: boolean): Promise<void> {
  const title = 'Page not found';
  const next = hasGraphiql ? html`<p><a class="button" href="${GRAPHQL_PATH}">Open GraphiQL</a></p>` : IS_OFF;
  const body = html`<h1 class="error">${title}</h1>
    <p>This is a GraphQL server; programs send requests by POST to <code>${GRAPHQL_PATH}</code>.</p>
    ${next}`;
  response.setHeader('vary', 'accept');
  await sendPage(response, { status: 404, title, body });
}

/** Sends a page to a browser that opens the GraphQL endpoint while there is no GraphiQL. */
export async function sendProgramsOnly(response: ServerResponse): Promise<void> {
  const title = 'This is a GraphQL endpoint';
  const body = html`<h1 class="notice">${title}</h1>
    <p>Programs send GraphQL requests to it by POST, as JSON.</p>
    ${IS_OFF}`;
  response.setHeader('vary', 'accept').setHeader('allow', 'POST');
  await sendPage(response, { status: 405, title, body });
}
