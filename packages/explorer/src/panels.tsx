import { HISTORY_PLUGIN } from 'graphiql';
import { HistoryStore, useHistory } from '@graphiql/plugin-history';
import { useGraphiQL, type GraphiQLPlugin } from '@graphiql/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLiveStatus, type LiveStatus } from './live-status.ts';

/** Our name in place of GraphiQL's, and the way to Desk if this server serves it. */
export function Logo({ desk }: { readonly desk: string | null }): ReactNode {
  return (
    <span className="logo">
      Social Publishing <b>GraphQL</b>
      {desk !== null && <a href={desk}>Desk</a>}
    </span>
  );
}

/**
 * The history, which knows of no headers: what is taken from it brings its text and its variables, and the headers of
 * the tab stay as they are.
 */
export const HISTORY: GraphiQLPlugin = { ...HISTORY_PLUGIN, content: History };

function History(): ReactNode {
  const editor = useGraphiQL(({ headerEditor }) => headerEditor);
  const before = useRef('');
  const isEmpty = useHistory().length === 0;
  return (
    <div
      className="history"
      onClickCapture={() => (before.current = editor?.getValue() ?? '')}
      onClick={() => editor?.getValue() !== before.current && editor?.setValue(before.current)}
    >
      <HISTORY_PLUGIN.content />
      {isEmpty && (
        <p className="history-hint">
          The operations that you run are listed here, and can be opened and run again. They are stored in
          this browser, without their headers.
        </p>
      )}
    </div>
  );
}

/** Writes the history; GraphiQL does so itself only for its own panel. */
export function HistoryWriter(): ReactNode {
  return <HistoryStore>{null}</HistoryStore>;
}

/**
 * Takes headers that were filled in over into tabs where they are still to be filled in; a tab with headers of its own
 * keeps them.
 */
export function CarriedHeaders({ toFillIn }: { readonly toFillIn: string }): ReactNode {
  const [editor, tab] = useGraphiQL(({ headerEditor, activeTabIndex }) => [headerEditor, activeTabIndex]);
  const filledIn = useRef<string | null>(null);
  useEffect(() => {
    const watching = editor?.onDidChangeModelContent(() => {
      if (editor.hasTextFocus()) filledIn.current = editor.getValue();
    });
    return () => watching?.dispose();
  }, [editor]);
  useEffect(() => {
    if (filledIn.current !== null && editor?.getValue() === toFillIn) editor.setValue(filledIn.current);
  }, [editor, tab, toFillIn]);
  return null;
}

/** Says in words what a running subscription is waiting for. */
export function LiveNotice({ status }: { readonly status: LiveStatus }): ReactNode {
  const words = useLiveStatus(status);
  if (words === null) return null;
  return (
    <p className="live-notice" role="status">
      {words}
    </p>
  );
}

/** Says in words why the schema could not be read, where it could not. */
export function SchemaNotice(): ReactNode {
  const fetchError = useGraphiQL((state) => state.fetchError);
  if (!fetchError) return null;
  return (
    <p className="schema-notice" role="alert">
      {noticeOf(errorIn(fetchError))}
    </p>
  );
}

interface SchemaError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

function errorIn(fetchError: string): SchemaError {
  try {
    const { errors } = JSON.parse(fetchError) as { readonly errors: readonly [SchemaError] };
    return errors[0];
  } catch {
    return { message: fetchError };
  }
}

function noticeOf({ message, extensions: { code = '' } = {} }: SchemaError): string {
  if (code === 'GRAPHQL_VALIDATION_FAILED')
    return 'This server does not let its schema be read. Operations run all the same, without suggestions.';
  const remedy = code.startsWith('CREDENTIAL_')
    ? 'Correct the headers, and press Shift-Ctrl-R.'
    : 'Shift-Ctrl-R tries again.';
  return `The schema could not be read: ${message} ${remedy}`;
}
