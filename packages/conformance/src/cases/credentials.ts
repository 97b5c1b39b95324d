/**
 * Checks that each scheme and each scope is sufficient by itself (§5). The rules judge the statuses, and the judge of the state decides
 * whether a write with an insufficient credential changes anything.
 */

import { contracts, type Operation, type SecurityScheme } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/letter-case'
import { call, credentialOf, type SentCredential, validCredential } from '../exchange/call.ts'
import type { CheckContext, Need } from '../exchange/check.ts'
import type { Answered } from '../exchange/exchange.ts'
import { expect, refusal, requireOrSkip } from '../exchange/failure.ts'
import { pathSpellings } from '../exchange/hostile-input.ts'
import { linesOf } from '../exchange/log-rows.ts'
import { type ChecksOf, type Decided, type Decision, decide, needsOf, requirementOf } from '../exchange/requirements.ts'
import { expectRefused, expectSuccess, isSuccess, seenStatus } from '../exchange/response.ts'
import { onEachId } from './plain-cases.ts'
import { basisOfPreparation, validCall, validRequest } from './success-status.ts'

type Credential = (context: CheckContext) => SentCredential

export const credentialChecks: ChecksOf = (operation) => {
  const schemes = contracts[operation.interface].schemes.filter(({ name }) => operation.schemes.includes(name))
  if (schemes.length === 0) return []
  return [
    ...(operation.effect === 'read' ? [spelledWithout(operation)] : []),
    ...schemes.map((scheme) => accepted(operation, scheme)),
    ...(operation.scopes.length > 0 ? schemes.flatMap((one) => scopes(operation, one)) : []),
  ]
}

/** Checks that no spelling of the path shows the content without credentials. A public page does not count as the content. */
function spelledWithout(operation: Operation): Decided {
  const isContent = (response: Answered) =>
    isSuccess(response) &&
    (operation.responses.some(({ line }) => line)
      ? linesOf(response).some((line) => line.includes('|'))
      : seenStatus(response).body === 'json')
  return decide(operation, {
    decides: ['<operation>.401-missing/spellings', '<interface>.authentication.missing/spellings'],
    run: async (context) => {
      const valid = await validRequest(context, operation)
      for (const [label, spell] of Object.entries(pathSpellings)) {
        const request = { ...valid, spell, credential: undefined }
        const response = await call(context, operation, request)
        context.count()
        const proof = { responses: [response] }
        expect(!isContent(response), refusal(`${label}, without credentials`), () => seenStatus(response), proof)
      }
    },
  })
}

/** Returns the needs of an operation, with the given credential instead of the API key. */
function needsWith(operation: Operation, name: Need): readonly Need[] {
  return [...needsOf(operation).filter((other) => !other.startsWith('credentials.')), name]
}

function accepts(operation: Operation, details: Omit<Decision, 'run'>, credential: Credential): Decided {
  const run = async (context: CheckContext) => {
    const from = context.history.length
    const own = credential(context)
    const valid = validCall(context, operation, { credential: own })
    await valid.catch(() => {})
    // The preparation may send the operation, too: a list shows whether an item is one of the suite. Another check may send the credential
    // together with an invalid one, in headers of its own.
    const refused = context.history.slice(from).find(({ operation: of, status, noEffect, request = {} }) => {
      const sent = 'credential' in request ? request.credential : validCredential(context, operation)
      return of === operation && status === 401 && !noEffect && !request.headers && sent?.value === own?.value
    })
    expectSuccess(refused?.response ?? (await valid))
  }
  return decide(operation, { ...details, ...basisOfPreparation(operation), run })
}

function accepted(operation: Operation, { name, kind }: SecurityScheme): Decided {
  const isDefault = operation.interface === 'management' && kind === 'key'
  const details = {
    // The supplement states no rule for its own operations, so they are checked against the spec's default (§5, rule 1).
    decides: isDefault
      ? (['<operation>.<scheme>', '<interface>.authentication.default'] as const)
      : ('<operation>.<scheme>' as const),
    values: { scheme: kebabCase(name) },
    needs: needsWith(operation, kind === 'key' ? 'credentials.accessKey' : 'credentials.bearer'),
  }
  return accepts(operation, details, (context) => credentialOf(context, operation, name))
}

/** The fixtures with a single scope (`all`) and without a scope (`none`), by kind of credential. */
const scoped = {
  bearer: { all: 'byScope', none: 'noScope' },
  key: { all: 'keyByScope', none: 'noScopeKey' },
} as const

/** Checks that a scheme is sufficient with any one of the scopes, and insufficient without a scope (§5, rule 2). */
function scopes(operation: Operation, { name: scheme, kind }: SecurityScheme): Decided[] {
  const { all, none } = scoped[kind]
  const noScope: Credential = ({ fixtures }) => ({
    scheme,
    value: requireOrSkip(fixtures.credentials[none], `credentials.${none}`),
  })
  const common = {
    part: scheme,
    needs: needsWith(operation, `credentials.${none}`),
    values: { scheme: kebabCase(scheme) },
  }
  const enough = operation.scopes.map((scope) => {
    const details = {
      decides:
        kind === 'key' ? ('<operation>.scope-<scope>/<scheme>' as const) : ('<operation>.scope-<scope>' as const),
      values: { scope: kebabCase(scope), scheme: kebabCase(scheme) },
      part: scheme,
      needs: needsWith(operation, `credentials.${all}`),
    }
    return accepts(operation, details, ({ fixtures }) => ({
      scheme,
      value: requireOrSkip(fixtures.credentials[all]?.[scope], `credentials.${all}.${scope}`),
    }))
  })
  const refused = decide(operation, {
    ...common,
    decides: kind === 'key' ? '<operation>.scope-missing/<scheme>' : '<operation>.scope-missing',
    run: async (context) => {
      const breaks = [requirementOf(operation, { decides: '<operation>.scope-missing' }).id]
      const noEffect = { name: 'without a scope', breaks }
      const [response] = await onEachId(context, operation, { credential: noScope(context), noEffect }, true)
      if (!response) return
      context.observe(`${operation.interface}.${operation.name}.scope-missing-status`, response.status)
      expectRefused(response)
    },
  })
  return [...enough, refused]
}
