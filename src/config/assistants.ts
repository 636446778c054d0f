import { z } from 'zod';
import { onOff } from './setting.ts';

/** Where tools for assistants are served. */
export const MCP_PATH = '/mcp';

/** What assistants may do here, over the Model Context Protocol. */
export interface AssistantConfig {
  readonly mcp: {
    /** Whether tools are served over HTTP. */
    readonly isOn: boolean;
    /** Whether mutations are among the tools. */
    readonly writes: boolean;
    /** The folder of the operator's operation files; null for none. */
    readonly operations: string | null;
  };
}

/** The environment variables for assistants. */
export const assistantSettings = {
  MCP: onOff('off').describe('serve tools for assistants at /mcp (Model Context Protocol)'),
  MCP_WRITES: onOff('off').describe(
    'give assistants tools that create posts, drafts, library items and texts, and pause and resume accounts',
  ),
  MCP_OPERATIONS: z
    .string()
    .optional()
    .describe(
      'folder of .graphql files with one operation each, which become additional tools for assistants',
    ),
};

/** Builds the assistant configuration from the variables. */
export function assistantConfigOf(values: z.output<z.ZodObject<typeof assistantSettings>>): AssistantConfig {
  return {
    mcp: {
      isOn: values.MCP === 'on',
      writes: values.MCP_WRITES === 'on',
      operations: values.MCP_OPERATIONS ?? null,
    },
  };
}
