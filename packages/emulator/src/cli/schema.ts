import type { Schema } from '@cdn/api/contract'
import { choiceSchema } from '../faults/choice.ts'
import { scheduleBy } from '../faults/schedule.ts'
import { trafficSchema } from '../platform/traffic/options.ts'
import { variantsSchema } from '../variants/variants.ts'

const count = { type: 'integer', minimum: 1 }

/**
 * The JSON schema (2020-12) of a configuration file. Rules that a schema cannot express are checked when the emulator starts,
 * such as the parameters of a fault.
 */
export const configSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of cdn-emulator',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { description: 'Location of this schema, for editors.', type: 'string' },
    port: {
      description: 'Port of the management interface; logging is on the next one. 0 means two free ports.',
      type: 'integer',
      minimum: 0,
      maximum: 65_534,
      default: 0,
    },
    host: {
      description: 'Address to listen on; 0.0.0.0 means all.',
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
    },
    allowHosts: {
      description: 'Host names under which /_emulator/ is reached, in addition to host, localhost and IP addresses.',
      type: 'array',
      items: { type: 'string', minLength: 1 },
    },
    tls: {
      description: 'HTTPS: true for a new self-signed certificate, or PEM files, relative to the working directory.',
      type: ['boolean', 'object'],
      additionalProperties: false,
      required: ['key', 'certificate'],
      properties: { key: { type: 'string' }, certificate: { type: 'string' } },
      default: false,
    },
    cors: { description: 'Whether pages of any origin may call the interfaces.', type: 'boolean', default: false },
    seed: { description: 'Seed of the traffic.', type: 'integer', minimum: 0, default: 1 },
    clock: {
      description: 'A virtual clock moves only when a request advances it.',
      enum: ['real', 'virtual'],
      default: 'real',
    },
    start: { description: 'Start of a virtual clock.', type: 'string', format: 'date-time' },
    journalLimit: { description: 'Maximum number of requests in the journal.', ...count, default: 10_000 },
    variants: variantsSchema,
    state: {
      description: 'JSON or YAML file with the items of collections, in the form of GET /_emulator/state.',
      type: 'string',
    },
    traffic: trafficSchema,
    faults: { description: 'Faults that are active from the start.', type: 'array', items: choiceSchema },
    schedules: {
      description: 'Fault schedules, in the form of POST /_emulator/faults/schedule.',
      type: 'array',
      items: { type: 'object', required: ['by'], properties: { by: scheduleBy } },
    },
  },
}
