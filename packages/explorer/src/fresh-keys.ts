import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { newIdempotencyKey } from '../../client/src/index.ts';
import { FRESH_KEY } from './options.ts';

const REPLACED = new RegExp(`(?<="idempotencyKey":\\s*")${FRESH_KEY}(?:new|[0-9a-f]{32})(?=")`, 'g');

type Texts = (text: string) => string;

/** Gives each run a key of its own where the page wrote the last one; a key that somebody typed stays. */
export interface FreshKeys {
  /** Replaces the keys in the variables of a run, each by another one. */
  readonly renew: <Variables>(variables: Variables) => Variables;
  /** Sets what is called with a function that makes the same replacement in the text of the variables. */
  onRenewed: (replace: Texts) => void;
}

/** Creates the keys; nothing shows them yet. */
export function createFreshKeys(): FreshKeys {
  const keys: FreshKeys = {
    onRenewed: () => undefined,
    renew: (variables) => {
      const fresh: string[] = [];
      const replace: Texts = (text) => {
        let place = 0;
        return text.replace(REPLACED, () => (fresh[place++] ??= FRESH_KEY + newIdempotencyKey()));
      };
      const before = JSON.stringify(variables ?? null);
      const after = replace(before);
      if (after === before) return variables;
      keys.onRenewed(replace);
      return JSON.parse(after) as typeof variables;
    },
  };
  return keys;
}

/** Shows the key of the last run in the editor of the variables. */
export function ShownKeys({ keys }: { readonly keys: FreshKeys }): null {
  const editor = useGraphiQL(({ variableEditor }) => variableEditor);
  useEffect(() => {
    keys.onRenewed = (replace) => editor?.setValue(replace(editor.getValue()));
  }, [editor, keys]);
  return null;
}
