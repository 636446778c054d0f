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
  // The service does not document how it says why.
  notGranted: {
    status: 400,
    title: 'Access not granted',
    text: 'The service did not return an authorisation code: access was denied on its consent page, or the service rejected the request. If that was a mistake, start again and allow access.',
    mayStartAgain: true,
    isNotice: true,
  },
} as const satisfies Readonly<Record<string, Message>>;

export type MessageName = keyof typeof MESSAGES;
