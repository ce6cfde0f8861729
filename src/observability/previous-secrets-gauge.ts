import type { Registry } from 'prom-client';
import { Gauge } from './prometheus.ts';

/** How many keys and second factors need a previous secret; without values while the store has a single secret. */
export function previousSecretsGauge(registry: Registry): Gauge<'by'> {
  return new Gauge({
    name: 'petstore_previous_secrets_needed',
    help: 'Live API keys and authenticator apps that need a previous secret.',
    labelNames: ['by'],
    registers: [registry],
  });
}
