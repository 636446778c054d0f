import type { Shape } from '../../packages/sandbox/test/shape.ts';
import { withValue } from './wire-changes.ts';

// What may hold further fields: a record, a list of them, a map of them.
const HOLDERS = [{}, [{}], { '*': {} }];
const MISSING_FIELD = / is missing$/;

/**
 * The names of all fields that a shape documents, dotted, with `0` in lists and `*` in maps. A shape says only what is
 * wrong with a value, so that is what it is asked: a field is one that it misses.
 */
export function documentedLeaves(shape: Shape): string[] {
  const root = { root: {} } as const;
  const ask = (tree: unknown): string[] => shape((tree as typeof root).root, 'root');
  return leavesBelow('root', root, ask).map((path) => path.replace(/^root\./, ''));
}

function leavesBelow(path: string, tree: unknown, ask: (tree: unknown) => string[]): string[] {
  for (const holder of HOLDERS) {
    const asked = withValue(tree, path, holder);
    const inner = ask(asked).filter(
      (problem) => MISSING_FIELD.test(problem) && problem.startsWith(`${path}.`),
    );
    if (inner.length === 0) continue;
    const names = inner.map((problem) => problem.replace(MISSING_FIELD, ''));
    return names.flatMap((name) => leavesBelow(name, asked, ask));
  }
  return [path];
}
