import { SourceError } from '../sources/errors.ts';
import type { GrantedToken } from '../sources/legacy/authorization.ts';
import { exchangeAuthorizationCode } from '../writes/exchange-code.ts';
import { builder, defineInput } from './builder.ts';
import { shown, string } from './data.ts';
import { InputError } from './errors.ts';
import { definePayload, inputOf, unkeyed } from './write.ts';

builder.queryField('authorizationUrl', (t) =>
  t.field({
    type: 'URL',
    description:
      'URL of the legacy surface’s consent page, which redirects the owner to `redirectUri` with a code for `exchangeAuthorizationCode`. In a browser, `/connect` on this server handles the whole flow.',
    args: {
      redirectUri: t.arg({
        type: 'URL',
        required: true,
        description: 'Redirect URI; must be registered with this server.',
      }),
      state: t.arg.string({
        required: true,
        description:
          'An unguessable random value. Check that the redirect returns the same value, to confirm that you requested the code.',
      }),
    },
    resolve: (_root, { redirectUri, state }, { authorization }) => {
      if (authorization === null) {
        throw new SourceError('not-configured', 'legacy', 'no app is configured for authorisation', {
          publicMessage:
            'No OAuth app for the legacy surface is configured on this server; an authorisation requires one.',
        });
      }
      if (!authorization.allows(redirectUri))
        throw new InputError('redirectUri is not registered with this server.');
      if (state.trim() === '' || state.length > 512)
        throw new InputError('state must have 1 to 512 characters.');
      return authorization.consentUrl(redirectUri, state);
    },
  }),
);

const ExchangeAuthorizationCodeInput = defineInput(
  'ExchangeAuthorizationCodeInput',
  'Input for `exchangeAuthorizationCode`, from the redirect after consent.',
  (t) => ({
    code: t.string({
      required: true,
      description: 'Authorisation code (80 characters). It expires quickly.',
    }),
    redirectUri: t.field({
      type: 'URL',
      required: true,
      description: 'Redirect URI that was passed to `authorizationUrl`.',
    }),
  }),
);

const ExchangeAuthorizationCodePayload = definePayload<GrantedToken>('exchangeAuthorizationCode', (t) =>
  shown(t, {
    accessToken: string(
      'Access token, to be sent as `authorization: Bearer TOKEN`. It is shown only once and is not stored.',
    ),
    tokenType: string('Type of the token, as reported by the service.'),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the token expires; null if not reported.',
      resolve: ({ result }) => {
        const seconds = result.data?.expiresInSeconds ?? null;
        return seconds === null ? null : new Date(Date.now() + seconds * 1_000);
      },
    }),
  }),
);

builder.mutationField('exchangeAuthorizationCode', (t) =>
  t.field({
    type: ExchangeAuthorizationCodePayload,
    description:
      'Exchanges an authorisation code for an access token of the legacy surface. The token is not stored.',
    args: inputOf(ExchangeAuthorizationCodeInput, 'The authorisation code and its redirect URI.'),
    resolve: async (_root, { input }, { authorization }) =>
      unkeyed(await exchangeAuthorizationCode(authorization, input)),
  }),
);
