import { home, homeProblems, reload } from '../state/home.ts';
import { isComposerOpen, closeComposer, compose } from '../state/draft.ts';
import { client, options, surfaces } from '../state/session.ts';
import { AccountList } from './account-list.tsx';
import { Calendar } from './calendar.tsx';
import { Composer } from './composer.tsx';
import { DaySheet } from './day-sheet.tsx';
import { Head } from './head.tsx';
import { isNarrow } from './narrow.ts';
import { NeedsYou } from './needs-you.tsx';
import { Outbox } from './outbox.tsx';
import { SandboxBar } from './sandbox-bar.tsx';
import { Sheet } from './sheet.tsx';
import { SignIn } from './sign-in.tsx';

/** The whole page. */
export function App() {
  if (client.value === null) return <SignIn />;
  return (
    <>
      <Head />
      <SandboxBar />
      <Problems />
      {home.value !== null && <Screen />}
      <DaySheet />
    </>
  );
}

function Screen() {
  return (
    <main class="screen">
      <div class="side">
        {isNarrow.value && <Outbox />}
        {surfaces.value.current && <NeedsYou />}
        {!isNarrow.value && <AccountList />}
      </div>
      <Calendar />
      {isNarrow.value ? (
        <>
          <AccountList />
          <NarrowComposer />
        </>
      ) : (
        <div class="desk-side">
          <Outbox />
          <Composer />
        </div>
      )}
    </main>
  );
}

function NarrowComposer() {
  return (
    <>
      <button class="primary new-post" onClick={compose} aria-keyshortcuts="N">
        New post
      </button>
      {isComposerOpen.value && (
        <Sheet label="New post" className="sheet compose-sheet" onClose={closeComposer}>
          <Composer />
        </Sheet>
      )}
    </>
  );
}

function Problems() {
  const problems = homeProblems.value;
  if (problems.length === 0) return null;
  return (
    <div class="problems" role="alert">
      {problems.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
      <button class="small" onClick={reload}>
        Try again
      </button>
      {options.credentials === null && (
        <button class="small" onClick={() => location.reload()}>
          Other credentials
        </button>
      )}
    </div>
  );
}
