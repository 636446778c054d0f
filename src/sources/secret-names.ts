import { remembering } from '../remember.ts';
import { looksRandom } from './secret-texts.ts';

// Which keys of undocumented JSON name secrets.

/**
 * What a key names: a documented credential of a connected account; a secret, guessed from the key; a likely secret,
 * depending on its value; or nothing secret.
 */
export type NameKind = 'credential' | 'guessed' | 'likely' | 'ordinary';

/** The credentials of a connected account, by the service's names. */
export const ACCOUNT_CREDENTIALS = ['accessToken', 'accessSecret', 'pageAccessToken'] as const;

// Documented keys that only sound like secrets: counters, a flag, a plan's name, keys of targeting options.
const ORDINARY = ['aitoken', 'inputtoken', 'outputtoken', 'totaltoken', 'tokenencrypted', 'paymentkey'];

const SECRETS = (
  'key auth authn authheader xauth cred creds pin otp totp hotp otpcode mfacode devicecode onetimecode recoverycode ' +
  'backupcode twofactorcode verificationcode securitycode cvv cvc sid ssid phpsessid connectsid pem pfx p12 pkcs12 jwk ' +
  'jwks pw pswd psk seedphrase recoveryphrase signedrequest'
).split(' ');

// Words that also name ordinary things: a session of a workshop, the seed of a test, whether a check passed.
const LIKELY = (
  'pass refresh sig sas oauth oauth1 oauth2 nonce wpnonce mfa session sess saml salt seed mnemonic assertion verifier ' +
  'dpop ticket pat dsn connectionstring usercode accountkey subscriptionkey licensekey licencekey serverkey streamkey ' +
  'deploykey'
).split(' ');

const KINDS: ReadonlyMap<string, NameKind> = new Map([
  ...LIKELY.map((name) => [name, 'likely'] as const),
  ...SECRETS.map((name) => [name, 'guessed'] as const),
  ...ORDINARY.map((name) => [name, 'ordinary'] as const),
  ...ACCOUNT_CREDENTIALS.map((name) => [name.toLowerCase(), 'credential'] as const),
]);

const SECRET_WORDS = new RegExp(
  [
    'token|secret(?!ar)|passw|pwd|pass(?:phrase|code|key)|authoriz|authcode|cookie|credential|bearer|signature',
    'jwt|hmac|csrf|xsrf|sess(?:ion)?(?:id|key|hash)|saml(?:response|assertion)|(?:oauth|code)verifier|clientassertion',
    '(?:api|app|auth|client|consumer|priv|private|access|signing|(?:en|de)cryption|master|shared|webhook|ssh)key',
    '(?:user|login|admin|root|db|database|smtp|imap|ftp|mail|proxy)pass$',
  ].join('|'),
);
/** Attributes of a secret: how many there are, of what kind, until when. */
const SECRET_METADATA =
  /^(?:max|total)|(?:count|limit|usage|used|left|remaining|length|size|type|status|ttl|expiry|expires|expires(?:at|in|on)|expir(?:y|ation)(?:date|time)?|required|valid|enabled)$/;

const NEEDS_NO_CHANGE = /^[a-z0-9]*$/;
const ABSOLUTE_URL = /^https?:\/\//i;
/** Longer keys are not names. */
const LONGEST_NAME = 128;

/**
 * Returns what a key names, in any spelling: `accessToken`, `page_access_token`, `X-Api-Key`. Every record has the same few
 * keys, so each is judged once.
 */
export const nameKind = remembering(judge, { most: 2_000, longest: 32 });

function judge(key: string): NameKind {
  // The service has maps keyed by URL; a URL is a value, not a name.
  if (key.length > LONGEST_NAME || ABSOLUTE_URL.test(key)) return 'ordinary';
  const name = NEEDS_NO_CHANGE.test(key) ? key : key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return KINDS.get(name) ?? kindBySound(name);
}

function kindBySound(name: string): NameKind {
  if (!SECRET_WORDS.test(name)) return 'ordinary';
  return SECRET_METADATA.test(name) ? 'likely' : 'guessed';
}

/** Whether a key names a secret: documented, guessed from the key, or likely from the key and its value. */
export function namesSecret(key: string, value?: unknown): boolean {
  const kind = nameKind(key);
  if (kind === 'likely') return looksLikeSecret(value);
  return kind === 'credential' || (kind === 'guessed' && typeof value !== 'boolean');
}

function looksLikeSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'string' && looksRandom(item));
  return typeof value === 'string' && looksRandom(value);
}
