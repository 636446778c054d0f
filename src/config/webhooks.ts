import { z } from 'zod';

/** How the events of watched lists are delivered. */
export interface WebhookConfig {
  /** The secret that signs deliveries; null if none is set. Never logged. */
  readonly webhookSecret: string | null;
}

/** The format of standardwebhooks.com: 24 to 64 random bytes in Base64. */
const SECRET_FORM = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** The environment variables for webhooks. */
export const webhookSettings = {
  WEBHOOK_SECRET: z
    .string()
    .regex(
      SECRET_FORM,
      'must be whsec_ followed by 24 to 64 random bytes in Base64; "echo whsec_$(openssl rand -base64 32)" generates one',
    )
    .optional()
    .describe(
      'secret with which the watch command signs webhooks: whsec_ followed by 24 to 64 random bytes in Base64',
    ),
};

/** Builds the webhook configuration from the variables. */
export function webhookConfigOf(values: z.output<z.ZodObject<typeof webhookSettings>>): WebhookConfig {
  return { webhookSecret: values.WEBHOOK_SECRET ?? null };
}
