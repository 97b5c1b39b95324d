import type { Schema } from '@cdn/api/contract'
import { faultTable } from '../faults/fault-table.ts'
import { maxBurst, maxRowsPerSecond, maxZones } from '../platform/traffic/options.ts'
import { type VariantPoint, variantTable } from '../variants/variants.ts'

const count = { type: 'integer', minimum: 1 }
const share = { type: 'number', minimum: 0, maximum: 1 }

/** Every variant with its permitted values, the default first. */
const variants = Object.fromEntries(
  Object.entries<VariantPoint>(variantTable).map(([name, { text, values, reason }]) => [
    name,
    { description: `${text}. By default ${values[0]}: ${reason}.`, enum: values, default: values[0] },
  ]),
)

const traffic = {
  description: 'Continuous traffic: it follows the clock.',
  type: 'object',
  additionalProperties: false,
  required: ['zones', 'rowsPerSecond'],
  properties: {
    zones: {
      description:
        'Number of zones to add (10001, 10002, ...), or a list of zone ids. Zones that do not exist are added.',
      anyOf: [
        { ...count, maximum: maxZones },
        { type: 'array', items: { type: 'string', pattern: String.raw`^\d{1,19}$` } },
      ],
    },
    rowsPerSecond: {
      description: 'Rows per second in each zone.',
      type: 'number',
      exclusiveMinimum: 0,
      maximum: maxRowsPerSecond,
    },
    lateShare: { description: 'Share of rows that become visible late.', ...share },
    maxLatenessMs: { description: 'Maximum lateness in ms.', ...count },
    tieShare: { description: 'Share of rows on the millisecond of the row before.', ...share },
    hostileShare: { description: 'Share of texts that are likely to break a parser.', ...share },
    bursts: {
      description: 'Many rows on one millisecond, at every multiple of everyMs.',
      type: 'object',
      additionalProperties: false,
      required: ['rows', 'everyMs'],
      properties: { rows: { ...count, maximum: maxBurst }, everyMs: count },
    },
  },
}

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
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['key', 'certificate'],
          properties: { key: { type: 'string' }, certificate: { type: 'string' } },
        },
      ],
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
    variants: {
      description: 'Behaviours at points that the specification leaves open.',
      type: 'object',
      additionalProperties: false,
      properties: variants,
    },
    state: {
      description: 'JSON or YAML file with the items of collections, in the form of GET /_emulator/state.',
      type: 'string',
    },
    traffic,
    faults: {
      description: 'Faults that are active from the start.',
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { enum: Object.keys(faultTable) },
          operation: {
            description: 'The x-name of the operation to affect; all operations by default.',
            type: 'string',
          },
          times: { description: 'Number of requests to affect; unlimited by default.', ...count },
        },
      },
    },
    schedules: {
      description: 'Fault schedules, in the form of POST /_emulator/faults/schedule.',
      type: 'array',
      items: { type: 'object', required: ['by'], properties: { by: { enum: ['chance', 'requests', 'clock'] } } },
    },
  },
}
