import { isCode, type Authorization } from '../authorization.ts';
import type { GrantedToken } from '../sources/legacy/authorization.ts';
import { completed, refused, sendOnce, userError, type WriteResult } from './outcome.ts';
import { Problems } from './problems.ts';

const HOW_TO_FIND_OUT = 'A code can be used only once, so start the authorisation again.';

/** Exchanges an authorisation code for a token: validates it, then sends it once. The token is not stored. */
export async function exchangeAuthorizationCode(
  authorization: Authorization | null,
  { code, redirectUri }: { readonly code: string; readonly redirectUri: string },
): Promise<WriteResult<GrantedToken>> {
  if (authorization === null) {
    return refused([
      userError(
        'SURFACE_NOT_CONFIGURED',
        'No OAuth app for the legacy surface is configured on this server.',
      ),
    ]);
  }
  const problems = new Problems();
  if (!isCode(code))
    problems.add(['code'], 'The authorisation code is not valid: it must have 80 characters.');
  if (!authorization.allows(redirectUri))
    problems.add(['redirectUri'], 'The redirect URI is not registered with this server.');
  if (problems.any) return refused(problems.list);
  return await sendOnce(
    async () => completed(await authorization.exchange(code, redirectUri)),
    HOW_TO_FIND_OUT,
  );
}
