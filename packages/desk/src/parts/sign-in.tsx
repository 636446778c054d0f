import { useState } from 'preact/hooks';
import { credentials, options, refusal, signIn, type Held } from '../state/session.ts';

/** Asks for the credentials that the server does not have. They are kept in memory. */
export function SignIn() {
  const { missing } = options;
  const [problem, setProblem] = useState<string | null>(null);
  const shown = problem ?? refusal.value;
  const submit = (form: FormData): void => {
    const field = (name: keyof Held): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const given = {
      apiKey: field('apiKey'),
      accessToken: field('accessToken').replace(/^Bearer /i, ''),
      clientToken: field('clientToken'),
    };
    setProblem(signIn(given) ? null : 'Fill in what this server asks for.');
  };
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <h1>Desk</h1>
        <p>Your credentials stay in this page’s memory. A reload forgets them.</p>
        {shown !== null && (
          <p class="note is-error" role="alert">
            {shown}
          </p>
        )}
        {missing.clientToken !== null && <Secret name="clientToken" label="Client token of this server" />}
        {missing.apiKey && <Secret name="apiKey" label="API key" hint="For the queue, posts and AI texts." />}
        {missing.accessToken && (
          <Secret
            name="accessToken"
            label="Access token"
            hint="For resuming accounts and for status updates."
          />
        )}
        <button class="primary">Open Desk</button>
        {missing.accessToken && (
          <p class="quiet">
            No access token yet? <a href="/connect">Connect your account</a>.
          </p>
        )}
      </form>
    </main>
  );
}

function Secret({
  name,
  label,
  hint,
}: {
  readonly name: keyof Held;
  readonly label: string;
  readonly hint?: string;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="password"
        name={name}
        defaultValue={credentials.peek()[name]}
        autocomplete="off"
        spellcheck={false}
      />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}
