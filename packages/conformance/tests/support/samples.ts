import { hostileTexts } from '@cdn/kit/testing/hostile-texts'
import { type Expected, oneStatus, refusal, type Seen, success, value, wrong } from '../../src/exchange/failure.ts'
import {
  type Cause,
  type CheckResult,
  type Report,
  type ReportedExchange,
  type RequirementResult,
  reportSchemaId,
} from '../../src/exchange/report-model.ts'
import { countChecks } from '../../src/verdict/result.ts'

/** What a check saw, from a short form: `status 404`, `status 200 with "text"`, `/pullzone AllowedReferrers`, or a clause. */
export function seenOf(text: string): Seen {
  const [, status, body] = /^status (\d+)(?: with (.*))?$/s.exec(text) ?? []
  const [, path, field] = /^(\/\w+) (\w+)/.exec(text) ?? []
  const kind = body === undefined || /[{[]/.test(body) ? 'json' : body === 'an empty body' ? 'none' : 'other'
  if (status !== undefined) return { kind: 'status', status: Number(status), body: kind }
  return path === undefined || field === undefined ? wrong(text) : { kind: 'state', path, field, text }
}

/** What the contract requires, from a short form: `status 404`, `a success`, `no success`, or a noun phrase. */
export function expectedOf(text: string): Expected {
  const [, status] = /^status (\d+)/.exec(text) ?? []
  if (status !== undefined) return oneStatus([status])
  return /^a success/.test(text) ? success() : text === 'no success' ? refusal() : value(text)
}

export const sampleRequirement: RequirementResult = {
  id: 'logging.rate-limit.429',
  section: '8',
  text: 'Requests beyond the limit are answered 429.',
  source: 'spec',
  area: 'logging',
  basis: 'spec',
  outcome: 'pass',
  checks: ['logging.rate-limit.burst'],
  cases: 1,
}

export const sampleCheck: CheckResult = {
  id: 'logging.rate-limit.burst',
  requirements: ['logging.rate-limit.429'],
  source: 'spec',
  basis: 'spec',
  effect: 'read',
  outcome: 'pass',
  durationMs: 1250,
  requests: 40,
}

export const sampleExchange: ReportedExchange = {
  request: {
    method: 'POST',
    url: 'https://management.invalid/pullzone/7/addAllowedReferrer',
    headers: { accesskey: 'canary-key', AUTHORIZATION: 'Bearer canary-token', 'Content-Type': 'application/json' },
    body: '{"Hostname":"a.invalid"}',
  },
  response: { status: 500, headers: { 'content-type': 'text/plain', 'x-request-id': '8f3c' }, body: 'oops' },
  operation: 'management.add-allowed-referrer',
  at: '2026-01-02T03:04:06.000Z',
  durationMs: 12,
}

/** The cause of a failed check of `fullReport`. */
export const sampleCause: Cause = {
  id: 'management.add-allowed-referrer.effect',
  outcome: 'fail',
  source: 'spec',
  operation: 'management.add-allowed-referrer',
  seen: wrong('the list has no allowed referrers'),
  expected: value('a.invalid among the allowed referrers'),
  requirements: ['management.add-allowed-referrer.effect'],
  checks: ['management.add-allowed-referrer.effect'],
  masked: ['unspecified.bearer'],
  since: '2026-01-01T03:04:05.678Z',
}

/** Makes a report of the given checks with matching counts. By default, the report is conformant. */
export function reportOf(checks: readonly CheckResult[], rest: Partial<Report> = {}): Report {
  return {
    schema: reportSchemaId,
    startedAt: '2026-01-02T03:04:05.678Z',
    durationMs: 5000,
    status: 'complete',
    exitCode: 0,
    seed: 20260102,
    failOn: ['spec', 'supplement', 'robustness', 'unspecified'],
    target: { kind: 'emulator' },
    contract: { management: '1.0.0', logging: '2' },
    causes: [],
    summary: countChecks(checks),
    requirements: [],
    checks,
    observations: [],
    ...rest,
  }
}

/** A report of a live run with a failure, a skip, problems, a leak and changes. */
export const fullReport: Report = reportOf(
  [
    sampleCheck,
    {
      ...sampleCheck,
      id: 'management.add-allowed-referrer.effect',
      requirements: ['management.add-allowed-referrer.effect'],
      basis: 'supplement',
      effect: 'write',
      outcome: 'fail',
      cause: 'management.add-allowed-referrer.effect',
      message: 'The hostname is not there, observed through the supplement.',
      evidence: {
        expected: value('a.invalid among the allowed referrers'),
        seen: wrong('the list has no allowed referrers'),
        exchanges: [sampleExchange, { request: sampleExchange.request, error: 'socket closed', durationMs: 3 }],
      },
    },
    {
      ...sampleCheck,
      id: 'unspecified.bearer',
      requirements: [],
      outcome: 'skip',
      message: 'No bearer token in the fixtures.',
    },
  ],
  {
    exitCode: 1,
    target: { kind: 'live', managementUrl: 'https://management.invalid', loggingUrl: 'https://logging.invalid' },
    problems: ['The expectation a.b passes: remove it.'],
    leaks: ['The sweep could not delete one.'],
    causes: [sampleCause],
    requirements: [
      sampleRequirement,
      {
        ...sampleRequirement,
        id: 'management.add-allowed-referrer.effect',
        section: '4.2',
        text: 'After a success the hostname is there.',
        area: 'Pull Zone',
        basis: 'supplement',
        outcome: 'fail',
        checks: ['management.add-allowed-referrer.effect'],
      },
      {
        id: 'logging.service.near-real-time',
        section: '1',
        text: 'Logs appear in near real time.',
        source: 'spec',
        area: 'logging',
        checks: [],
        cases: 0,
        unchecked: 'The spec has no figure.',
      },
    ],
    observations: [
      { id: 'management.add-allowed-referrer.success', value: { status: 204 } },
      { id: 'logging.query-logs.unknown-zone', value: 403 },
    ],
    changes: {
      before: '2026-01-01T03:04:05.678Z',
      broke: [],
      fixed: [
        {
          id: 'a.b',
          operation: 'management.get-pull-zone',
          seen: 'status 500',
          requirements: ['a.b'],
          since: '2026-01-01T00:00:00Z',
        },
      ],
      open: [],
      undecided: ['logging.rate-limit.429'],
    },
  },
)

/** A text that does harm if a report does not escape it. */
export const hostileText = Object.values(hostileTexts).join('\n')

/** Creates a report in which every text that comes from a target or a contract is `text`. */
export function reportFilledWith(text: string): Report {
  const request = { method: text, url: text, headers: { [text]: text }, body: text }
  const exchange = {
    request,
    response: { status: 200, headers: { [text]: text }, body: text },
    error: text,
    durationMs: 1,
  }
  const requirement = { section: text, text, source: 'spec', area: text, cases: 1 } as const
  const check = {
    id: text,
    requirements: [text],
    source: 'spec',
    basis: 'spec',
    effect: 'write',
    outcome: 'fail',
    durationMs: 1,
    requests: 1,
    message: text,
    evidence: {
      ...{ expected: value(text), seen: wrong(text, { field: text, text, at: [{ path: text, text }] }) },
      exchanges: [exchange],
      calls: [{ operation: text, credential: text, path: { [text]: text }, query: { [text]: text }, body: text }],
    },
  } as const
  return {
    schema: reportSchemaId,
    startedAt: '2026-01-02T03:04:05.678Z',
    durationMs: 5000,
    status: 'complete',
    exitCode: 1,
    seed: 1,
    failOn: ['spec', 'supplement', 'robustness', 'unspecified'],
    target: { kind: 'live', managementUrl: text, loggingUrl: text },
    contract: { [text]: text },
    problems: [text],
    leaks: [text],
    causes: [
      {
        ...{ id: text, outcome: 'fail', source: 'spec', operation: text, expected: value(text) },
        seen: wrong(text, { field: text, text, at: [{ path: text, text }] }),
        ...{ requirements: [text], checks: [text], masked: [text], since: '2026-01-01T00:00:00Z' },
      },
      { ...sampleCause, id: `${text}2`, seen: { kind: 'silence', reason: text }, reason: text },
    ],
    changes: {
      broke: [text],
      fixed: [{ id: text, operation: text, seen: text, requirements: [text], since: '2026-01-01T00:00:00Z' }],
      open: [
        {
          id: text,
          operation: text,
          seen: text,
          requirements: [text],
          checks: [text],
          since: '2026-01-01T00:00:00Z',
          issue: text,
        },
      ],
      undecided: [text],
    },
    summary: { passed: 0, failed: 1, skipped: 0, errors: 0, requests: 1 },
    requirements: [
      { ...requirement, id: text, basis: 'spec', outcome: 'fail', checks: [text] },
      { ...requirement, id: `${text}2`, basis: 'spec', outcome: 'skip', reason: text, checks: [text] },
      { ...requirement, id: `${text}3`, checks: [], unchecked: text },
    ],
    checks: [check],
    observations: [{ id: text, value: { [text]: text } }],
  }
}

export const hostileReport: Report = reportFilledWith(hostileText)
