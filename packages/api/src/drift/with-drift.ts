import { decode, readBytes } from '../bytes.ts'
import { type InterfaceName, operations, route } from '../contract/index.ts'
import type { Operation } from '../contract/model.ts'
import { describeCall, requestFacts, requestPath } from '../fetch/request-facts.ts'
import { createWrapper, type FetchWrapper } from '../fetch/wrapper.ts'
import { type Breach, validateResponse } from './validate-response.ts'

/** A difference between a response and the contract. */
export interface Drift extends Breach {
  /** Method and path template, such as `GET /pullzone/{id}`. */
  readonly operation: string
  readonly status: number
}

/** A response that differs from the contract, if `fail` is set. */
export class DriftError extends Error {
  override readonly name = 'DriftError'
  readonly drift: Drift

  constructor(drift: Drift) {
    super(`${drift.operation} differs from the contract: ${drift.message}`)
    this.drift = drift
  }
}

export interface DriftOptions {
  /** Called for each difference. The messages quote at most 200 characters of a body, without credentials. */
  readonly onDrift?: (drift: Drift) => void
  /** Share of the responses to validate, from 0 to 1; 1 by default. */
  readonly sample?: number
  /** Whether a call with a difference rejects with a DriftError. By default, calls never fail because of this wrapper. */
  readonly fail?: boolean
}

/** Maximum length of a validated body in bytes. Longer responses are not validated. */
const maxBytes = 24 * 1024 * 1024

/**
 * Validates responses against the contract, and reports differences: statuses, error codes, and JSON bodies. A validated response
 * is passed on when its body is complete, so sample the calls that stream.
 *
 * @param name the interface that the requests go to, such as `management`
 *
 * @example
 * createManagementClient({ wrap: [withDrift('management', { sample: 0.01, onDrift: (drift) => console.warn(drift) })] })
 */
export function withDrift(
  name: InterfaceName,
  { onDrift = () => {}, sample = 1, fail = false }: DriftOptions = {},
): FetchWrapper {
  return createWrapper(async (request, send) => {
    const response = await send(request)
    const operation = Math.random() < sample ? operationOf(name, request) : undefined
    if (!operation) return response
    const drifts = await driftsOf(operation, request, response)
    for (const drift of drifts) notify(onDrift, drift)
    if (fail && drifts[0]) throw new DriftError(drifts[0])
    return response
  })
}

/** The operation of a request. Clients of this package name it; the path of any other request is compared with the templates. */
function operationOf(name: InterfaceName, request: Request): Operation | undefined {
  const { operation: template } = requestFacts(request)
  const named = operations.find((each) => each.interface === name && nameOf(each) === template)
  if (named) return named
  const found = route(name, request.method, requestPath(request.url))
  return found && 'operation' in found ? found.operation : undefined
}

function nameOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path}`
}

async function driftsOf(operation: Operation, request: Request, response: Response): Promise<Drift[]> {
  const { status, headers } = response
  const { redact } = describeCall(request)
  // The caller meets the error of a body that breaks off, in the original.
  const bytes = await readBytes(response.clone().body, maxBytes).catch(() => undefined)
  if (!bytes) return []
  return validateResponse(operation, { status, headers, text: decode(bytes) }).map(({ source, message }) => ({
    operation: nameOf(operation),
    status,
    source,
    message: redact(message),
  }))
}

/** An error of the caller's function must not fail the call. */
function notify(onDrift: (drift: Drift) => void, drift: Drift): void {
  try {
    onDrift(drift)
  } catch (error) {
    console.error(error)
  }
}
