import type { Answer } from '../answer.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import type { Service } from '../service.ts';
import { Refusal, badParameter } from '../refusal.ts';
import { ALWAYS, readFault } from '../faults/read-fault.ts';
import type { RequestLog } from '../request-log.ts';
import { isoTime } from '../wire/dates.ts';
import { toJson } from '../wire/json.ts';
import { makeHappen } from './events.ts';
import { overviewOf } from './overview.ts';
import { overviewPage } from './overview-page.ts';
import { OVERVIEW_SCRIPT, SCRIPT_PATH } from './overview-script.ts';
import { overviewText } from './overview-text.ts';

// The imitated service has none of these paths.
const FAULTS_PATH = '/sandbox/faults';
const EVENTS_PATH = '/sandbox/events';
const CALLS_PATH = '/sandbox/calls';

/** Number of calls that are shown; the log of the sandbox has all of them. */
const MAX_CALLS = 30;

/** The parts of a request that the sandbox's own paths need. */
export interface OwnRequest {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body: string;
}

/** Responds to the sandbox's own paths; returns null for a path of the imitated service. */
export type Control = (request: OwnRequest) => Promise<Answer | null>;

/** What the sandbox's own paths show and change. */
export interface ControlParts {
  readonly service: Service;
  readonly plan: FaultPlan;
  readonly requests: RequestLog;
  /** Origin of the sandbox, available once it listens. */
  readonly origin: () => string;
}

/** The sandbox's own paths: a page that introduces it, the last calls, events and faults. */
export function createControl(parts: ControlParts): Control {
  return async (request) => {
    const route = routeOf(request.path);
    if (route === null) return null;
    try {
      return await route(request, parts);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json(error.status, {
        message: error.message,
        ...(error.parameter && { field: error.parameter }),
      });
    }
  };
}

type Route = (request: OwnRequest, parts: ControlParts) => Answer | Promise<Answer>;

function routeOf(path: string): Route | null {
  if (path === '/') return showOverview;
  if (path === SCRIPT_PATH) return answerScript;
  if (path === CALLS_PATH) return answerCalls;
  if (path === EVENTS_PATH) return answerEvents;
  if (path === FAULTS_PATH) return answerFaults;
  if (path.startsWith(`${FAULTS_PATH}/`)) return answerFault;
  return null;
}

/** Sends HTML to browsers, JSON to programs that request it, and plain text to everything else, such as curl. */
async function showOverview({ method, accept }: OwnRequest, parts: ControlParts): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD');
  const overview = overviewOf(parts);
  if (accept.includes('text/html')) return html((await overviewPage(overview)).toString());
  if (accept.includes('json')) return json(200, overview);
  return typed('text/plain; charset=utf-8', overviewText(overview));
}

function answerScript({ method }: OwnRequest): Answer {
  if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD');
  return typed('text/javascript; charset=utf-8', OVERVIEW_SCRIPT);
}

function answerCalls({ method }: OwnRequest, { requests }: ControlParts): Answer {
  if (method !== 'GET') return notAllowed('GET');
  const calls = requests.all.slice(-MAX_CALLS).toReversed();
  return json(200, {
    calls: calls.map(({ at, owner, endpoint, method: verb, path, status, fault }) => ({
      at: isoTime(at),
      owner,
      call: endpoint ?? `${verb} ${path}`,
      status,
      fault,
    })),
  });
}

function answerEvents(request: OwnRequest, parts: ControlParts): Answer {
  if (request.method !== 'POST') return notAllowed('POST');
  return json(200, makeHappen(readJson(request), parts));
}

function answerFaults(request: OwnRequest, { plan, service }: ControlParts): Answer {
  switch (request.method) {
    case 'GET':
      return json(200, { faults: plannedFaults(plan) });
    case 'POST': {
      const names = service.world.owners.map(({ credentials }) => credentials.name);
      plan.faults.add(readFault(readJson(request), names));
      return json(201, plannedFaults(plan).at(-1));
    }
    case 'DELETE': {
      const removed = plan.list().length;
      plan.faults.clear();
      return json(200, { removed });
    }
    default:
      return notAllowed('GET, POST, DELETE');
  }
}

function answerFault({ method, path }: OwnRequest, { plan }: ControlParts): Answer {
  if (method !== 'DELETE') return notAllowed('DELETE');
  const id = path.slice(FAULTS_PATH.length + 1);
  const found = plan.list().find((entry) => String(entry.id) === id);
  if (!found) throw new Refusal(404, `id must be that of a fault that GET ${FAULTS_PATH} lists.`, 'id');
  found.handle.remove();
  return json(200, { removed: 1 });
}

/** Returns the faults for display: with numbers, and without functions, which JSON omits. */
export function plannedFaults(plan: FaultPlan) {
  return plan.list().map(({ id, fault, handle: { hits, remaining } }) => ({
    id,
    ...fault,
    times: countOf(fault.times ?? 1),
    hits,
    remaining: countOf(remaining),
  }));
}

const countOf = (count: number): number | typeof ALWAYS => (Number.isFinite(count) ? count : ALWAYS);

// A page of another origin needs a CORS preflight to send this content type or DELETE, and none is granted here.
function readJson({ contentType, body }: OwnRequest): unknown {
  if (!contentType.includes('json')) throw badParameter('content-type', 'must be application/json.');
  try {
    return JSON.parse(body);
  } catch {
    throw badParameter('body', 'is not valid JSON.');
  }
}

function typed(type: string, text: string, extra: readonly (readonly [string, string])[] = []): Answer {
  const headers = [['content-type', type], ['cache-control', 'no-store'], ...extra] as const;
  return { status: 200, headers, body: Buffer.from(text) };
}

function html(text: string): Answer {
  const policy =
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return typed('text/html; charset=utf-8', text, [['content-security-policy', policy]]);
}

function json(status: number, value: unknown): Answer {
  return { ...typed('application/json; charset=utf-8', `${toJson(value)}\n`), status };
}

function notAllowed(allow: string): Answer {
  return { status: 405, headers: [['allow', allow]], body: Buffer.alloc(0) };
}
