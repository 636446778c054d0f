import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { OwnerCredentials } from '../data/model.ts';
import type { Transaction } from '../domain/authorization.ts';

/** Escaped HTML, perhaps still being put together. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const STYLE = `
  body { margin: 0; background: #f3f1ec; color: #23211e; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 26rem; margin: 8vh auto; padding: 2rem; background: #fff; border: 1px solid #d9d4c8; border-radius: 8px; }
  h1 { margin-top: 0; font-size: 1.3rem; }
  label { display: block; margin: 0.8rem 0; font-weight: 600; }
  input { display: block; box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; border: 1px solid #8a8478; border-radius: 4px; }
  button { margin: 1rem 0.5rem 0 0; padding: 0.5rem 1.2rem; font: inherit; border: 1px solid #23564a; border-radius: 4px; background: #23564a; color: #fff; }
  button[value='deny'] { background: #fff; color: #23564a; }
  [role='alert'] { padding: 0.5rem 0.8rem; background: #fbe9e7; border-left: 4px solid #b3261e; }
  .hint { margin-top: 1.5rem; font-size: 0.9rem; color: #57534b; }
  td, th { padding: 0.15rem 0.8rem 0.15rem 0; text-align: left; }
`;

/** The page that asks who is there; it shows the demo owners, since everything here is make-believe. */
export function loginPage(
  transaction: Transaction,
  owners: readonly OwnerCredentials[],
  problem?: string,
): Html {
  return page(
    'Sign in',
    html`<h1>Sign in to the sandbox</h1>
      ${problem ? html`<p role="alert">${problem}</p>` : ''}
      <form method="post" action="/oauth/login">
        ${hiddenFields(transaction)}
        <label>Login <input name="login" autocomplete="username" required autofocus /></label>
        <label>
          Password <input name="password" type="password" autocomplete="current-password" required />
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

/** The page that asks for consent. */
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

/** The page for an authorisation that cannot go on. */
export function problemPage(problem: string): Html {
  return page(
    'Not possible',
    html`<h1>This does not work</h1>
      <p role="alert">${problem}</p>`,
  );
}

function hiddenFields({ id, formToken }: Transaction): Html {
  return html`<input type="hidden" name="transaction" value="${id}" />
    <input type="hidden" name="form_token" value="${formToken}" />`;
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · sandbox</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
}
