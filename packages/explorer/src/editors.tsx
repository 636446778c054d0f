import { useGraphiQL, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';
// GraphiQL's own themes are not exported.
import { MONACO_THEME_DATA } from '../../../node_modules/@graphiql/react/dist/constants.js';

/** Where the editors stand one above the other; the style sheet has the same width. */
const NARROW = matchMedia('(max-width: 800px)');

/**
 * Breaks lines that are wider than their editor, as GraphiQL does for answers only: nothing is cut off, and what one tab
 * is scrolled to the side does not stay with the next. A narrow window has smaller letters.
 */
export function EditorOptions(): null {
  const editors = useGraphiQL(({ queryEditor, variableEditor, headerEditor, responseEditor }) => [
    queryEditor,
    variableEditor,
    headerEditor,
    responseEditor,
  ]);
  useEffect(() => {
    const update = (): void => {
      for (const editor of editors)
        editor?.updateOptions({ wordWrap: 'on', fontSize: NARROW.matches ? 13 : 15 });
    };
    update();
    NARROW.addEventListener('change', update);
    return () => NARROW.removeEventListener('change', update);
  }, [editors]);
  useReadableComments();
  return null;
}

/** The comments of the dark theme have a contrast of 3.6 to 1; these have one of 7 to 1. */
const DARK_COMMENT = '#95bd84';

function useReadableComments(): void {
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    const { rules, ...theme } = MONACO_THEME_DATA.dark;
    monaco?.editor.defineTheme('graphiql-DARK', {
      ...theme,
      rules: [...rules, { token: 'comment', foreground: DARK_COMMENT }],
    });
  }, [monaco]);
}

const HINT = 'variables-hint';
const HINT_OPTIONS = { inlineClassName: HINT, hoverMessage: { value: 'Shows “Variables”.' } };

/** Makes the word "Variables" in a comment a link that shows the variables. */
export function VariablesHint(): null {
  const editor = useGraphiQL((state) => state.queryEditor);
  useEffect(() => {
    if (!editor) return undefined;
    const marks = editor.createDecorationsCollection();
    const mark = (): void => {
      const found =
        editor.getModel()?.findMatches('^\\s*#.*?"(Variables)"', false, true, true, null, true) ?? [];
      marks.set(
        found.map(({ range }) => ({
          range: range.setStartPosition(range.startLineNumber, range.endColumn - '"Variables"'.length),
          options: HINT_OPTIONS,
        })),
      );
    };
    mark();
    const listeners = [
      editor.onDidChangeModelContent(mark),
      editor.onMouseUp(({ target: { position } }) => {
        if (position && marks.getRanges().some((range) => range.containsPosition(position))) showVariables();
      }),
    ];
    return () => {
      for (const listener of listeners) listener.dispose();
      marks.clear();
    };
  }, [editor]);
  return null;
}

// GraphiQL has no other way to show them.
function showVariables(): void {
  document.querySelector<HTMLElement>('.graphiql-editor-tools [data-name="variables"]')?.click();
}
