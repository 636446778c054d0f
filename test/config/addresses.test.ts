import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { isLoopback } from '../../src/config/setting.ts';
import { problemsOf } from '../support/config-problems.ts';

// The addresses of the service, and the origins of pages.

const URLS = ['CURRENT_API_URL', 'LEGACY_API_URL'] as const;

test.each(URLS)('%s may be https anywhere, and http on this machine', (name) => {
  for (const url of [
    'https://api.example.com',
    'https://api.example.com/',
    'https://api.example.com:8443/base/path',
    'https://10.0.0.7',
    'http://127.0.0.1:4001',
    'http://127.8.9.10',
    'http://localhost:4001/base',
    'http://[::1]:4001',
  ]) {
    expect(problemsOf({ [name]: url }).problems, url).toEqual([]);
  }
});

test.each(URLS)('%s is refused as plain http beyond this machine', (name) => {
  for (const url of [
    'http://api.example.com',
    'http://10.0.0.7',
    'http://0.0.0.0',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://example.com/127.0.0.1',
    'http://[::2]',
    'http://169.254.169.254',
  ]) {
    expect(problemsOf({ [name]: url }).problems, url).toEqual([expect.stringMatching(`^${name}: .*http`)]);
  }
});

const SECRET = 'planted-secret';

const BAD_ADDRESSES = [
  `https://user:${SECRET}@api.example.com`,
  `https://${SECRET}@api.example.com`,
  `https://:${SECRET}@api.example.com`,
  `https://api.example.com/?key=${SECRET}`,
  `https://api.example.com/#${SECRET}`,
  `ftp://${SECRET}.example.com`,
  `file:///${SECRET}`,
  `javascript:${SECRET}`,
  `ws://${SECRET}.example.com`,
  `http://${SECRET}.example.com`,
  SECRET,
  `//${SECRET}`,
  `https://`,
  `https:// ${SECRET}`,
];

test.each(URLS)(
  '%s is refused where it holds a credential or is no web address, and is not repeated',
  (name) => {
    for (const url of BAD_ADDRESSES) {
      const { problems, message } = problemsOf({ [name]: url });
      expect(problems, url).toHaveLength(1);
      expect(message, url).not.toContain(SECRET);
      expect(message, url).not.toContain('example.com');
    }
  },
);

test('only addresses that no other machine can reach are loopback', () => {
  for (const host of ['127.0.0.1', '127.255.255.254', '::1', '[::1]', 'localhost'])
    expect(isLoopback(host)).toBe(true);
  for (const host of ['', '127', '127.x', '128.0.0.1', '0.0.0.0', '::', '::ffff:10.0.0.1', 'localhost.']) {
    expect(isLoopback(host), host).toBe(false);
  }
});

test('origins are taken as browsers spell them, with commas between', () => {
  const ALLOWED_ORIGINS = ' https://app.example, http://127.0.0.1:8080 ,,https://xn--bcher-kva.example:8443';
  expect(readConfig({ ALLOWED_ORIGINS }).allowedOrigins).toEqual([
    'https://app.example',
    'http://127.0.0.1:8080',
    'https://xn--bcher-kva.example:8443',
  ]);
  expect(readConfig({}).allowedOrigins).toEqual([]);
});

const NO_ORIGINS = [
  '*',
  'null',
  'app.example',
  '//app.example',
  'https://app.example/',
  'https://app.example/path',
  'https://app.example:443',
  'http://app.example:80',
  'https://App.example',
  'HTTPS://app.example',
  'https://bücher.example',
  'https://*.app.example',
  'https://user@app.example',
  'https://app.example?x',
  'https://app.example https://other.example',
  'ws://app.example',
  'wss://app.example',
  'file://',
  'chrome-extension://abcdef',
  'blob:https://app.example',
];

test('what no page can have as its origin is refused, and not repeated', () => {
  for (const origin of NO_ORIGINS) {
    const { problems, message } = problemsOf({ ALLOWED_ORIGINS: `https://good.example,${origin}` });
    expect(problems, origin).toEqual([expect.stringMatching(/^ALLOWED_ORIGINS: /)]);
    expect(message, origin).not.toContain('good.example');
  }
});

const SERVICE = 'https://api.example.com/base';
const PROXY = 'http://proxy.example:3128';

test.each<[proxy: string | null, url: string, variables: Readonly<Record<string, string>>]>([
  [null, SERVICE, {}],
  [null, SERVICE, { HTTPS_PROXY: ' ', HTTP_PROXY: PROXY }],
  [PROXY, SERVICE, { HTTPS_PROXY: PROXY }],
  [PROXY, SERVICE, { https_proxy: PROXY, HTTPS_PROXY: 'http://other.example' }],
  [PROXY, SERVICE, { HTTPS_PROXY: 'proxy.example:3128' }],
  ['https://proxy.example', SERVICE, { HTTPS_PROXY: 'https://me:p%40ss@proxy.example/' }],
  [null, SERVICE, { HTTPS_PROXY: PROXY, NO_PROXY: '*' }],
  [null, SERVICE, { HTTPS_PROXY: PROXY, no_proxy: 'localhost, .Example.com' }],
  [null, SERVICE, { HTTPS_PROXY: PROXY, NO_PROXY: 'localhost *.example.com' }],
  [null, SERVICE, { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example.com:443' }],
  [PROXY, SERVICE, { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example.com:8443,ample.com,a.api.example.com,,' }],
  [PROXY, 'https://10.0.0.7', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.8,127.0.0.1' }],
  [null, 'https://[fd00::1]:8443', { HTTPS_PROXY: PROXY, NO_PROXY: '[fd00::1]:8443' }],
  [null, 'https://localhost', { HTTPS_PROXY: PROXY, NO_PROXY: 'other.example' }],
  [null, 'https://[::1]', { HTTPS_PROXY: PROXY }],
  [null, 'http://127.8.9.10', { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }],
  [null, 'https://127.0.0.1', { HTTPS_PROXY: 'socks5://unusable' }],
])('the proxy %j is that of %s with %j', (proxy, url, variables) => {
  for (const [name, surface] of [
    ['CURRENT_API_URL', 'current'],
    ['LEGACY_API_URL', 'legacy'],
  ] as const) {
    const { proxies } = readConfig({ [name]: url, ...variables });
    const others = { current: null, legacy: null };
    expect({ ...proxies, [surface]: proxies[surface]?.origin ?? null }).toEqual({
      ...others,
      [surface]: proxy,
    });
  }
});

test('a proxy that is used and cannot be right is refused, and its value is not repeated', () => {
  for (const planted of ['socks5://planted', 'http://', 'http://me:100%planted@proxy.example', 'planted:x']) {
    const { problems } = problemsOf({ CURRENT_API_URL: SERVICE, HTTPS_PROXY: planted });
    expect(problems, planted).toEqual(['HTTPS_PROXY: is not a URL that begins with http:// or https://']);
    expect(problemsOf({ HTTPS_PROXY: planted }).problems).toEqual([]);
  }
});
