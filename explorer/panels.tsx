import { HISTORY_PLUGIN } from 'graphiql';
import { HistoryStore } from '@graphiql/plugin-history';
import { useGraphiQL, type GraphiQLPlugin } from '@graphiql/react';
import { useEffect, useRef, type ReactNode } from 'react';

/** Our name in place of GraphiQL's. */
export function Logo(): ReactNode {
  return (
    <span className="logo">
      Social Publishing <b>GraphQL</b>
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
  return (
    <div
      className="history"
      onClickCapture={() => (before.current = editor?.getValue() ?? '')}
      onClick={() => editor?.getValue() !== before.current && editor?.setValue(before.current)}
    >
      <HISTORY_PLUGIN.content />
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

/**
 * Breaks lines that are wider than their editor, as GraphiQL does for answers only: nothing is cut off, and what one tab
 * is scrolled to the side does not stay with the next.
 */
export function BrokenLines(): ReactNode {
  const editors = useGraphiQL(({ queryEditor, variableEditor, headerEditor }) => [
    queryEditor,
    variableEditor,
    headerEditor,
  ]);
  useEffect(() => {
    for (const editor of editors) editor?.updateOptions({ wordWrap: 'on' });
  }, [editors]);
  return null;
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
    ? 'Set the headers right, and press Shift-Ctrl-R.'
    : 'Shift-Ctrl-R tries again.';
  return `The schema could not be read: ${message} ${remedy}`;
}
