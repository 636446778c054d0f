import { SourceError } from '../sources/errors.ts';
import type { GrantedToken } from '../sources/legacy/authorization.ts';
import { exchangeAuthorizationCode } from '../writes/exchange-code.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import { InputError } from './errors.ts';
import { definePayload, unkeyed } from './write.ts';

builder.queryField('authorizationUrl', (t) =>
  t.field({
    type: 'URL',
    description:
      'Where to send an owner who is to authorise your application on the legacy surface: there they log in and consent, and come back to `redirectUri` with a code for `exchangeAuthorizationCode`. In a browser, `/connect` on this server does all of it.',
    args: {
      redirectUri: t.arg({
        type: 'URL',
        required: true,
        description: 'Where they come back to; one that this server was told of.',
      }),
      state: t.arg.string({
        required: true,
        description:
          'A random text of yours; compare it with the one that comes back, or a stranger’s code may be yours to trade.',
      }),
    },
    resolve: (_root, { redirectUri, state }, { authorization }) => {
      if (authorization === null) {
        throw new SourceError('not-configured', 'legacy', 'no app is configured for authorisation', {
          publicMessage: 'This server has no app on the legacy surface, which an authorisation needs.',
        });
      }
      if (!authorization.allows(redirectUri))
        throw new InputError('redirectUri is not one that this server was told of.');
      if (state.trim() === '' || state.length > 512)
        throw new InputError('state must have 1 to 512 characters.');
      return authorization.consentUrl(redirectUri, state);
    },
  }),
);

const ExchangeAuthorizationCodeInput = builder.inputType('ExchangeAuthorizationCodeInput', {
  description: 'What an owner brings back from the consent page.',
  fields: (t) => ({
    code: t.string({
      required: true,
      description: 'The code, 80 characters; it is valid for a short time.',
    }),
    redirectUri: t.field({
      type: 'URL',
      required: true,
      description: 'The redirect URI, as in `authorizationUrl`.',
    }),
  }),
});

const ExchangeAuthorizationCodePayload = definePayload<GrantedToken>(
  'ExchangeAuthorizationCodePayload',
  { takesKey: false },
  (t) => ({
    accessToken: t.string({
      description: 'The token, for `authorization: Bearer …`. It is shown this once; keep it safe.',
      resolve: ({ result }) => result.data?.accessToken ?? null,
    }),
    tokenType: t.string({
      description: 'The service’s own word for the kind of token.',
      resolve: ({ result }) => result.data?.tokenType ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends; null where the service does not say.',
      resolve: ({ result }, _args, { writes }) => {
        const seconds = result.data?.expiresInSeconds ?? null;
        return seconds === null ? null : new Date(writes.now() + seconds * 1_000);
      },
    }),
  }),
);

builder.mutationField('exchangeAuthorizationCode', (t) =>
  t.field({
    type: ExchangeAuthorizationCodePayload,
    description:
      'Exchanges an authorisation code for an access token of the legacy surface. The token is not stored.',
    args: {
      input: t.arg({
        type: ExchangeAuthorizationCodeInput,
        required: true,
        description: 'What the owner brings back from the consent page.',
      }),
    },
    resolve: async (_root, { input }, { authorization }) =>
      unkeyed(await exchangeAuthorizationCode(authorization, input)),
    ...costsCalls(1),
  }),
);
