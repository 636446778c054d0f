import type { Overview } from './overview.ts';

/** The overview for a terminal. */
export function overviewText(overview: Overview): string {
  const { about, url, owners, moreOwners, oauthApp, push, calls, events, faults } = overview;
  const more = moreOwners > 0 ? `\n... and ${moreOwners} more owners\n` : '';
  return `Sandbox  ${url}

${about.replaceAll('. ', '.\n')}

OWNERS
${owners.map(ownerText).join('\n')}${more}
OAUTH APP
  client_id      ${oauthApp.clientId}
  client_secret  ${oauthApp.clientSecret}
  consent page   ${oauthApp.consentPage}

PUSH SOCKETS
  socket.io  ${push.socketIo}
  WebSocket  ${push.webSocket}

ENDPOINTS
  Current surface (x-api-key)
${listed(calls.current)}
  Legacy surface (authorization: Bearer)
${listed(calls.legacy)}

EVENTS
${events.kinds.map(({ kind, summary }) => `  ${kind.padEnd(21)} ${summary}`).join('\n')}

Trigger one, and list the recent requests:
${events.tryIt.map((line) => `  ${line}`).join('\n')}

FAULTS (${faults.plannedCount} planned)
${faults.kinds.map(({ kind, summary }) => `  ${kind.padEnd(21)} ${summary}`).join('\n')}

Add one, list them, and remove them all:
${faults.tryIt.map((line) => `  ${line}`).join('\n')}

docs/sandbox.md explains all of this.
`;
}

function ownerText({ name, company, apiKey, accessToken, login, password }: Overview['owners'][number]) {
  return `  ${name} (${company})
    x-api-key: ${apiKey}
    authorization: Bearer ${accessToken}
    Sign in as ${login} with the password ${password}
`;
}

const listed = (names: readonly string[]): string => names.map((name) => `    ${name}`).join('\n');
