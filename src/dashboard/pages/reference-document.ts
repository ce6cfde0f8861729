import { fixedServer, openapiDocument } from '../../api/openapi/document.ts';
import type { DashboardOptions } from '../options.ts';

/** The OpenAPI document as the reference page reads it, with every server; JSON text. */
export function referenceDocument(addresses: DashboardOptions['addresses']): string {
  const pets = [
    fixedServer('production', addresses.production),
    fixedServer('staging', addresses.staging),
  ];
  const quickstart = fixedServer('quickstart', addresses.quickstart);
  return JSON.stringify(openapiDocument({ pets, quickstart }));
}
