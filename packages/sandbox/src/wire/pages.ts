import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { OwnerCredentials } from '../data/model.ts';
import type { Transaction } from '../domain/authorization.ts';

/** Escaped HTML, possibly still being assembled. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const LIGHT = `--page: #f3f1ec; --paper: #fff; --ink: #23211e; --soft: #57534b; --line: #d9d4c8; --field: #8a8478;
  --code: #f3f1ec; --allow: #1f6b4f; --deny: #a3261e; --on-colour: #fff; --alert: #fbe9e7;`;
const DARK = `--page: #191816; --paper: #24221f; --ink: #ece8e0; --soft: #b5afa3; --line: #443f37; --field: #8a8478;
  --code: #191816; --allow: #7fd1ae; --deny: #f2a199; --on-colour: #14201b; --alert: #43211d;`;

const STYLE = `
  :root { color-scheme: light dark; ${LIGHT} }
  @media (prefers-color-scheme: dark) { :root { ${DARK} } }
  body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  main { box-sizing: border-box; max-width: 30rem; margin: 8vh auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
  main.wide { max-width: 62rem; margin: 2rem auto; }
  h1 { margin-top: 0; font-size: 1.3rem; overflow-wrap: anywhere; }
  h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
  h3 { margin: 0; font-size: 1rem; }
  label { display: block; margin: 0.8rem 0; font-weight: 600; }
  input, select { display: block; box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--field); border-radius: 4px; }
  button { margin: 1rem 0.5rem 0 0; padding: 0.5rem 1.2rem; font: inherit; border: 1px solid var(--allow); border-radius: 4px; background: var(--allow); color: var(--on-colour); cursor: pointer; }
  .buttons button { margin-top: 0.5rem; padding: 0.3rem 0.8rem; background: var(--paper); color: var(--allow); }
  #happened { min-height: 1.5em; font-weight: 600; }
  details { margin-top: 1rem; }
  #happened + h3 { margin-top: 1rem; }
  button[value='deny'] { background: var(--paper); border-color: var(--deny); color: var(--deny); }
  [role='alert'] { padding: 0.5rem 0.8rem; background: var(--alert); border-left: 4px solid var(--deny); }
  .hint { margin-top: 1.5rem; font-size: 0.9rem; color: var(--soft); }
  small { color: var(--soft); }
  table { border-collapse: collapse; }
  td, th { padding: 0.15rem 0.8rem 0.15rem 0; text-align: left; vertical-align: top; }
  .wide td, .wide th { padding: 0.35rem 0.8rem 0.35rem 0; border-bottom: 1px solid var(--line); }
  code, pre { font-size: 0.87rem; overflow-wrap: anywhere; }
  pre { margin: 0.4rem 0; padding: 0.6rem 0.8rem; background: var(--code); border-radius: 4px; white-space: pre-wrap; }
  td:first-child code { white-space: nowrap; }
  .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
  .cards section { padding: 1rem; border: 1px solid var(--line); border-radius: 6px; }
  .cards p { margin: 0.3rem 0; }
  dl { margin: 0.6rem 0 0; }
  dt { font-size: 0.85rem; color: var(--soft); }
  dd { margin: 0 0 0.5rem; }
  ul { margin: 0.4rem 0; padding-left: 1.2rem; }
  .scroll { overflow-x: auto; }
`;

/** A failed sign-in, with the login that was entered, so that it need not be typed again. */
export interface RefusedLogin {
  readonly problem: string;
  readonly login: string;
}

/** The login page; it shows the demo owners, since everything here is fictional. */
export function loginPage(
  transaction: Transaction,
  owners: readonly OwnerCredentials[],
  refused?: RefusedLogin,
): Html {
  return page(
    'Sign in',
    html`<h1>Sign in to the sandbox</h1>
      ${refused ? html`<p role="alert">${refused.problem}</p>` : ''}
      <form method="post" action="/oauth/login">
        ${hiddenFields(transaction)}
        <label>
          Login
          <input
            name="login"
            value="${refused?.login ?? ''}"
            autocomplete="username"
            required
            ${refused ? '' : 'autofocus'}
          />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autocomplete="current-password"
            required
            ${refused ? 'autofocus' : ''}
          />
        </label>
        <button type="submit">Sign in</button>
      </form>
      <div class="hint">
        <p>This is a sandbox. Nothing here reaches a real network. You may sign in as:</p>
        <table>
          <tr>
            <th>Login</th>
            <th>Password</th>
          </tr>
          ${owners.map(
            (owner) =>
              html`<tr>
                <td>${owner.login}</td>
                <td>${owner.password}</td>
              </tr>`,
          )}
        </table>
      </div>`,
  );
}

/** The consent page. */
export function consentPage(transaction: Transaction, companyName: string): Html {
  return page(
    'Allow access',
    html`<h1>Allow “${transaction.request.clientId}” to use ${companyName}?</h1>
      <p>The app wants to <strong>read</strong> your accounts and groups, and to <strong>write</strong>:</p>
      <ul>
        <li>pause, resume and remove accounts</li>
        <li>remove groups</li>
        <li>publish posts</li>
      </ul>
      <form method="post" action="/oauth/consent">
        ${hiddenFields(transaction)}
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny">Deny</button>
      </form>`,
  );
}

/** The page for an authorisation that cannot continue. */
export function problemPage(problem: string): Html {
  return page(
    'Error',
    html`<h1>Authorisation failed</h1>
      <p role="alert">${problem}</p>`,
  );
}

function hiddenFields({ id, formToken }: Transaction): Html {
  return html`<input type="hidden" name="transaction" value="${id}" />
    <input type="hidden" name="form_token" value="${formToken}" />`;
}

/** A full page, in the browser's light or dark colour scheme. */
export function page(title: string, content: Html, width: 'narrow' | 'wide' = 'narrow'): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · sandbox</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main class="${width}">${content}</main>
      </body>
    </html>`;
}
