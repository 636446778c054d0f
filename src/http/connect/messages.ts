/** The contents of a page, in this server's own words. */
export interface Message {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** True if starting again may help. */
  readonly mayStartAgain?: boolean;
  /** True if nothing has failed: somebody decided otherwise. */
  readonly isNotice?: boolean;
}

/** Every way in which an authorisation ends without a token. */
export const MESSAGES = {
  notAllowed: {
    status: 405,
    title: 'Method not allowed',
    text: 'Open this page in a browser; it accepts only GET requests.',
  },
  notConfigured: {
    status: 404,
    title: 'Not configured',
    text: 'This server has no OAuth app for the legacy surface of the service. Its operator must set OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and a URL with the path /connect/callback in OAUTH_REDIRECT_URIS.',
  },
  unknownState: {
    status: 400,
    title: 'This authorisation is not valid',
    text: 'It was not started in this browser, has already ended, or took longer than ten minutes.',
    mayStartAgain: true,
  },
  badCode: {
    status: 400,
    title: 'No valid code',
    text: 'The service did not return a valid authorisation code.',
    mayStartAgain: true,
  },
  notExchanged: {
    status: 502,
    title: 'No token',
    text: 'The service did not issue a token for the authorisation code.',
    mayStartAgain: true,
  },
  deniedByPerson: {
    status: 400,
    title: 'Access denied',
    text: 'Access was denied on the service’s consent page, so no token was issued. If that was a mistake, start again and allow access.',
    mayStartAgain: true,
    isNotice: true,
  },
  appRefused: {
    status: 400,
    title: 'The service rejected this app',
    text: 'The service rejected the request from this server’s OAuth app. Its operator should check OAUTH_CLIENT_ID and OAUTH_REDIRECT_URIS.',
  },
  serviceFailed: {
    status: 502,
    title: 'The service could not complete the authorisation',
    text: 'The service reported a temporary problem; access was not denied. Try again in a few minutes.',
    mayStartAgain: true,
  },
  notGranted: {
    status: 400,
    title: 'Access not granted',
    text: 'The service did not return an authorisation code: access was denied, either on the consent page or by the service.',
    mayStartAgain: true,
    isNotice: true,
  },
} as const satisfies Readonly<Record<string, Message>>;

export type MessageName = keyof typeof MESSAGES;

/** Errors of OAuth 2.0 (RFC 6749, section 4.1.2.1), by responsible party. */
const DENIALS: Readonly<Record<string, MessageName>> = {
  access_denied: 'deniedByPerson',
  server_error: 'serviceFailed',
  temporarily_unavailable: 'serviceFailed',
  invalid_request: 'appRefused',
  invalid_scope: 'appRefused',
  unauthorized_client: 'appRefused',
  unsupported_response_type: 'appRefused',
};

/** Chooses the message for a return without a code by its `error` parameter; the service does not document its own. */
export function denialOf(searchParams: URLSearchParams): MessageName {
  const error = searchParams.get('error') ?? '';
  return (Object.hasOwn(DENIALS, error) && DENIALS[error]) || 'notGranted';
}
