import { ConfigError } from '../config.ts';

/** Explains what the operator can do about a failure of the process; null if it is not theirs to fix. */
export function adviceOn(error: unknown): string | null {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const where = 'port' in error ? ` ${String(error.port)}` : '';
  const setting = 'setting' in error ? String(error.setting) : 'PORT';
  if (error.syscall === 'getaddrinfo') return NO_SUCH_ADDRESS;
  if (error.syscall !== 'listen') return null;
  if (error.code === 'EADDRINUSE')
    return `Port${where} is already in use. Set ${setting} to another port, or to 0 for any free port.`;
  if (error.code === 'EACCES')
    return `Permission denied to listen on port${where}. Set ${setting} to a port above 1023.`;
  return error.code === 'EADDRNOTAVAIL' ? NO_SUCH_ADDRESS : null;
}

/** Starts listening, and adds the name of the setting of the port to any error. */
export async function listening<T>(setting: string, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { setting }) : error;
  }
}

const NO_SUCH_ADDRESS = 'HOST is not an address of this machine. Set it to one of its addresses.';
