import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Owner } from '../data/model.ts';
import type { SecretBook } from '../secret-book.ts';

/** The demo app that may request access. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The request that an app makes when it redirects a person here. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
}

/** One person's login and consent, bound to a browser by cookie and to its forms by token. */
export interface Transaction {
  readonly id: string;
  readonly browser: string;
  readonly formToken: string;
  readonly request: AuthorizationRequest;
  owner: Owner | null;
}

interface Grant {
  readonly owner: Owner;
  readonly request: AuthorizationRequest;
  readonly expiresAt: number;
}

/** Issues codes to people who consent, and redeems each once. */
export interface AuthorizationDesk {
  readonly app: OAuthApp;
  admits(redirectUri: string): boolean;
  begin(request: AuthorizationRequest, browser: string): Transaction;
  /** Returns the transaction of a form, if the form and the browser belong to it. */
  find(id: string, formToken: string, browser: string): Transaction | null;
  /** Ends a transaction with a code of 80 characters. */
  grant(transaction: Transaction, owner: Owner): string;
  /** Ends a transaction without a code. */
  drop(transaction: Transaction): void;
  /** Uses up a code in any case; returns the owner if code, client and address match and the code has not expired. */
  redeem(code: string, request: Omit<AuthorizationRequest, 'state'>): Owner | null;
}

/** The dependencies of the desk. */
export interface AuthorizationParts {
  readonly clock: Clock;
  readonly book: SecretBook;
  readonly app: OAuthApp;
}

/** How many pages, and how many codes, are waiting for people and apps; the oldest ones are dropped. */
const MAX_WAITING = 100;
/** The redirect addresses of the demo app, on any port of this machine. */
const REDIRECT_URI = /^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}\/connect\/callback$/;
/** How long an authorisation code is valid. */
const CODE_LIFETIME_MS = 60_000;

function add<T>(waiting: Map<string, T>, key: string, value: T): void {
  waiting.set(key, value);
  const [oldest = key] = waiting.keys();
  if (waiting.size > MAX_WAITING) waiting.delete(oldest);
}

/** Returns a random text of hexadecimal digits, two per byte. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** Creates a desk without transactions. */
export function createAuthorizationDesk({ clock, book, app }: AuthorizationParts): AuthorizationDesk {
  const transactions = new Map<string, Transaction>();
  const grants = new Map<string, Grant>();
  return {
    app,
    admits: (redirectUri) => REDIRECT_URI.test(redirectUri),
    begin(request, browser) {
      const transaction = { id: randomText(16), browser, formToken: randomText(16), request, owner: null };
      add(transactions, transaction.id, transaction);
      return transaction;
    },
    find(id, formToken, browser) {
      const transaction = transactions.get(id);
      return transaction?.formToken === formToken && transaction.browser === browser ? transaction : null;
    },
    grant(transaction, owner) {
      transactions.delete(transaction.id);
      const code = book.note('authorizationCodes', randomText(40));
      const expiresAt = clock.now() + CODE_LIFETIME_MS;
      add(grants, code, { owner, request: transaction.request, expiresAt });
      return code;
    },
    drop(transaction) {
      transactions.delete(transaction.id);
    },
    redeem(code, { clientId, redirectUri }) {
      const grant = grants.get(code);
      grants.delete(code);
      if (!grant || grant.expiresAt <= clock.now()) return null;
      const { request } = grant;
      return request.clientId === clientId && request.redirectUri === redirectUri ? grant.owner : null;
    },
  };
}
