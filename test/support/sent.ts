import qs from 'qs';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { LoggedRequest } from '../../packages/sandbox/src/request-log.ts';
import type { RunningGraph } from './graph.ts';

/** The only request of a call that reached the sandbox; fails the test when there are more or none. */
export function onlyRequest({ sandbox }: RunningGraph, endpoint: EndpointName): LoggedRequest {
  const [request, ...others] = sandbox.requests.of(endpoint);
  if (!request || others.length > 0)
    throw new Error(`${endpoint}: ${sandbox.requests.count(endpoint)} requests`);
  return request;
}

/** The JSON body of the only request of a call. */
export function sentJson(graph: RunningGraph, endpoint: EndpointName): unknown {
  const { headers, body } = onlyRequest(graph, endpoint);
  if (headers['content-type'] !== 'application/json') throw new Error('the body was not sent as JSON');
  return JSON.parse(body);
}

/** The form of the only request of a call: its names, brackets and all, with their values, in the order of the names. */
export function sentForm(graph: RunningGraph, endpoint: EndpointName): [name: string, value: string][] {
  const { headers, body } = onlyRequest(graph, endpoint);
  if (headers['content-type'] !== 'application/x-www-form-urlencoded')
    throw new Error('the body was not sent as a form');
  return [...new URLSearchParams(body)].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** The form of the only request of a call, with bracketed names read as lists and records. */
export function sentFields(graph: RunningGraph, endpoint: EndpointName): unknown {
  return qs.parse(onlyRequest(graph, endpoint).body, { arrayLimit: 1_000 });
}
