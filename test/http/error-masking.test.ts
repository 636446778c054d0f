import { assertObjectType, GraphQLError, type GraphQLField, type GraphQLObjectType } from 'graphql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { shareGraph } from '../support/graph.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';

const graph = shareGraph();

/** Everything that a resolver could throw, each with things that nobody outside may see. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  'an Error': () => new Error('planted at 10.0.0.7:5432 in /srv/app/secret.ts'),
  'a TypeError': () => new TypeError("Cannot read properties of undefined (reading 'planted')"),
  'an AggregateError': () => new AggregateError([new Error('planted')], 'planted'),
  'a text': () => 'planted',
  nothing: () => undefined,
  null: () => null,
  'a record': () => ({ message: 'planted', code: 'BAD_USER_INPUT', extensions: { code: 'planted' } }),
  'an error that claims a code': () => {
    const http = { status: 418, headers: { 'x-planted': '1' } };
    return Object.assign(new Error('planted'), { code: 'BAD_USER_INPUT', extensions: { http } });
  },
  'nested GraphQLErrors': () => {
    const originalError = new GraphQLError('planted', { originalError: new RangeError('planted') });
    return new GraphQLError('planted', { originalError });
  },
  'an error of the transport': () => {
    const config = { url: 'https://planted.example/?key=planted', headers: { 'x-api-key': 'planted' } };
    const failure = new Error('connect ECONNREFUSED 10.0.0.7:443 planted');
    return Object.assign(failure, { code: 'ECONNREFUSED', config });
  },
  'a failed call': () => {
    const details = { endpoint: 'GET /planted', cause: new Error('planted') };
    return new SourceError('unavailable', 'current', 'planted', details);
  },
};

type Field = GraphQLField<unknown, unknown>;

function breakField(field: Field, thrown: unknown): void {
  const { resolve } = field;
  field.resolve = () => {
    throw thrown;
  };
  onTestFinished(() => {
    if (resolve === undefined) delete field.resolve;
    else field.resolve = resolve;
  });
}

/** Nothing of ours or the service's: no words, hosts, ports, paths, headers, stacks or class names. */
const INNER =
  /planted|10\.0\.0\.7|ECONN|\.ts\b|node_modules| at |stack|TypeError|x-api-key|example\b|undefined/;

const ACCOUNT = assertObjectType(schema.getType('Account')) as GraphQLObjectType<unknown, unknown>;

test.each(TRANSPORTS)(
  'over %s, a failure at the root or below reveals nothing, not even with NODE_ENV=development, and is logged in full',
  async (transport) => {
    const run = openTransport(transport, graph.url, graph.caller.both);
    vi.stubEnv('NODE_ENV', 'development');
    for (const [index, thrown] of [...Object.values(THROWN), ...Object.values(THROWN)].entries()) {
      const isBelow = index < Object.keys(THROWN).length;
      // A field with a resolver; most others are read without one.
      const field = isBelow ? ACCOUNT.getFields()['label'] : schema.getQueryType()?.getFields()['accounts'];
      if (!field) throw new Error('nothing to break');
      breakField(field, thrown());
      const query = '{ accounts(first: 1, surface: CURRENT) { nodes { id label } } }';
      const { errors } = await run({ query });
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors)).not.toMatch(INNER);
      const { requestId, code } = errors[0]?.extensions ?? {};
      const isInternal = code === 'INTERNAL_SERVER_ERROR';
      const lines = graph.log.filter((line) => line.includes(String(requestId)) && line.includes('"code"'));
      const line = lines.find((one) => one.includes('had an error') !== isInternal);
      expect(line).toContain(isInternal ? '"level":"error"' : String(code));
    }
  },
);
