import type * as Core from '@pothos/core';
import type * as Relay from '@pothos/plugin-relay';
import { load } from '../load.ts';

const core = load('@pothos/core') as typeof Core;

export const SchemaBuilder: typeof Core.default = core.default;
export const PothosValidationError: typeof Core.PothosValidationError = core.PothosValidationError;
export const RelayPlugin: typeof Relay.default = (load('@pothos/plugin-relay') as typeof Relay).default;
