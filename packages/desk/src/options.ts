// What the server and the page agree on.

/** Path of Desk's files; its page is served at `/`. */
export const DESK_FILES_PATH = '/desk/';

/** Path below which events of the embedded sandbox are requested by POST; no other server has it. */
export const SANDBOX_EVENTS_PATH = '/desk/sandbox/';

/** Session storage key under which another page of this server leaves headers for Desk, which removes them. */
export const DESK_HANDOVER_KEY = 'desk-headers';

/** The events of the sandbox that Desk requests, each by the last part of its path. */
export const SANDBOX_EVENTS = ['lose-answer', 'disconnect', 'publish', 'fail'] as const;

/** The name of an event of the sandbox. */
export type SandboxEvent = (typeof SANDBOX_EVENTS)[number];

/** Returns the event that a path requests; null if it requests none. */
export function sandboxEventOf(path: string): SandboxEvent | null {
  return SANDBOX_EVENTS.find((name) => path === SANDBOX_EVENTS_PATH + name) ?? null;
}

/** The credentials of both surfaces. */
export interface DeskCredentials {
  readonly apiKey: string;
  readonly accessToken: string;
}

/** The options that the server embeds as JSON in the page. They contain nothing from the request. */
export interface DeskOptions {
  /** Path that operations are sent to. */
  readonly endpoint: string;
  /** Path of GraphiQL; null if this server does not serve it. */
  readonly graphiql: string | null;
  /** The credentials of the embedded sandbox, whose events can be requested; null for any other service. */
  readonly credentials: DeskCredentials | null;
  /** What the page has to ask for, because the server does not have it. */
  readonly missing: {
    /** The header of the token that the server requires of its clients; null if it requires none. */
    readonly clientToken: string | null;
    readonly apiKey: boolean;
    readonly accessToken: boolean;
  };
}
