import { endpoints, type EndpointName } from '../../../packages/sandbox/src/endpoints.ts';
import { interfaceFields } from '../../conformance/interface-fields.ts';
import {
  isOmission,
  type FieldTable,
  type Omission,
  type ReadCall,
  type WriteAnswer,
} from '../../conformance/interface-table.ts';
import { fieldAt } from '../../support/selection.ts';
import type { ServiceCalls } from './reference.ts';

const INTRODUCTION = `# Service fields

Each call to the service, each documented field of its responses, and where the graph shows it, or why it does not. Dots
lead into objects, \`0\` stands for any entry of a list and \`*\` for any key. The tests change every one of these fields
in a response of the sandbox and look for the change in the graph (\`test/conformance\`); this page is generated from their
table. Parameters that the graph never sends are at the end.
`;

/** Calls whose answers are no records, and what the graph does with them. */
const WITHOUT_RECORDS: Partial<Readonly<Record<EndpointName, string>>> = {
  'GET /oauth/':
    'The consent page for owners, used by `authorizationUrl` and `/connect`. This server does not call it.',
  'POST /oauth/accesstoken':
    'Exchanges a code for an access token: `exchangeAuthorizationCode.accessToken`, and `/connect/callback`.',
};

const ACCOUNTS_OF_GROUPS =
  'the accounts of the groups are sent as `account_id`, each once: the service ignores unknown groups, and requires accounts';

/** Parameters of the interface that the graph never sends, and why. */
const LEFT_OUT: readonly (readonly [endpoint: EndpointName, parameter: string, reason: string])[] = [
  [
    'GET /accounts/list',
    'onlyAccountData',
    'what it omits from the response is undocumented, and a selected field must not be null because of it; fields that are not selected cost no call anyway',
  ],
  ['POST /posts/create', 'customField', 'its shape is undocumented'],
  ['POST /draft/create', 'customField', 'its shape is undocumented'],
  ['POST /oauth/post/update', 'group_id', ACCOUNTS_OF_GROUPS],
  ['POST /oauth/post/updatewithimage', 'group_id', ACCOUNTS_OF_GROUPS],
];

const leftOut = (): string =>
  `## Parameters that are not sent\n\n| Call | Parameter | Why not |\n| --- | --- | --- |\n${LEFT_OUT.map(
    ([endpoint, parameter, reason]) => `| ${code(endpoint)} | ${code(parameter)} | ${reason} |`,
  ).join('\n')}\n`;

const table = (rows: readonly string[]): string => `| Service | Graph |\n| --- | --- |\n${rows.join('\n')}\n`;

const code = (text: string): string => `\`${text}\``;

function row(wire: string, shown: readonly string[] | Omission): string {
  const told = isOmission(shown) ? `not shown: ${shown.omitted}` : shown.map(code).join(', ');
  return `| ${code(wire)} | ${told} |`;
}

function rowsOf(type: string, prefix: string, fields: FieldTable): string[] {
  return Object.entries(fields).map(([wire, entry]) => {
    const places = isOmission(entry) ? [] : Object.keys(entry).map((path) => fieldAt(type, path));
    return row(prefix + wire, isOmission(entry) ? entry : [...new Set(places)]);
  });
}

/** The mutations that make a call: `pauseAccount` stands for all that make the same one. */
const mutationsOf = ({ mutation }: WriteAnswer): readonly string[] =>
  mutation === 'pauseAccount' ? [mutation, 'resumeAccount', 'pauseAccounts', 'resumeAccounts'] : [mutation];
const LIST = new Intl.ListFormat('en-GB');

function sectionOf(endpoint: EndpointName, call: ReadCall | WriteAnswer | undefined): string {
  const heading = `## ${endpoint}\n\n`;
  if (call === undefined) return `${heading}${WITHOUT_RECORDS[endpoint]}\n`;
  if ('mutation' in call)
    return `${heading}Made by ${LIST.format(mutationsOf(call).map(code))}.\n\n${table(rowsOf(call.type, '', call.fields))}`;
  const around = Object.entries(call.around).map(([wire, shown]) => row(wire, shown));
  const inRecord = rowsOf(call.type, `${call.record.replace('#', '0')}.`, call.fields);
  return `${heading}Shown as ${code(call.type)}.\n\n${table([...around, ...inRecord])}`;
}

/** Renders docs/service-fields.md from the table that the tests of the interface go by. */
export function serviceFieldsPage(): string {
  const sections = endpoints.map(({ name }) => sectionOf(name, interfaceFields[name]));
  return [INTRODUCTION, ...sections, leftOut()].join('\n');
}

/** The calls of the service that each type of the graph, and each mutation, comes from. */
export function serviceCalls(): ServiceCalls {
  const calls = new Map<string, Set<string>>();
  const note = (name: string, call: string): void => {
    calls.set(name, (calls.get(name) ?? new Set()).add(call));
  };
  for (const [call, answer] of Object.entries(interfaceFields)) {
    if ('mutation' in answer) for (const name of mutationsOf(answer)) note(`Mutation.${name}`, call);
    for (const entry of Object.values(answer.fields)) {
      if (isOmission(entry)) continue;
      for (const path of Object.keys(entry)) note(fieldAt(answer.type, path).split('.')[0] ?? '', call);
    }
  }
  return calls;
}
