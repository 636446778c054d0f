import { parser } from '@prometheus-io/lezer-promql';

/** A condition on a label, as `status=~"5.."`. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** A metric that an expression reads. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** Labels that an aggregation or a match around it names. */
  readonly grouping: readonly string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** The metrics that an expression reads, with their labels; fails where it is not valid PromQL. */
export function selectorsOf(expression: string): readonly Selector[] {
  const textOf = ({ from, to }: Node): string => expression.slice(from, to);
  const tree = parser.parse(expression);
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`Not PromQL at character ${node.from}: ${expression}`);
    },
  });
  return below(tree.topNode, 'VectorSelector').map((selector) => ({
    metric: below(selector, 'Identifier').map(textOf).join(''),
    matchers: below(selector, 'UnquotedLabelMatcher').map((matcher) => ({
      label: below(matcher, 'LabelName').map(textOf).join(''),
      operator: below(matcher, 'MatchOp').map(textOf).join(''),
      value: JSON.parse(below(matcher, 'StringLiteral').map(textOf).join('')) as string,
    })),
    grouping: around(selector).flatMap((node) =>
      [...node.getChildren('AggregateModifier'), ...node.getChildren('MatchingModifierClause')].flatMap(
        (modifier) => below(modifier, 'LabelName').map(textOf),
      ),
    ),
  }));
}

/** All nodes of a kind below a node. */
function below(node: Node, name: string): readonly Node[] {
  const found: Node[] = [];
  node.cursor().iterate(({ node: inner }) => {
    if (inner.name === name && inner.from >= node.from && inner.to <= node.to) found.push(inner);
  });
  return found;
}

/** All nodes that contain a node. */
function around(node: Node): readonly Node[] {
  return node.parent === null ? [] : [node.parent, ...around(node.parent)];
}

/** Whether a label's value fulfils a condition; a regular expression is anchored at both ends, as in Prometheus. */
export function fulfils({ operator, value }: Matcher, given: string): boolean {
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : value === given;
  return operator.startsWith('!') ? !isEqual : isEqual;
}
