import { contracts } from '@cdn/api/contract'
import type { EmulatorFixtures } from '@cdn/emulator'
import { createExamples, type Example } from './situations.ts'

/** The part of an Arazzo 1.0 description that `createArazzo` writes. */
export interface Arazzo {
  readonly arazzo: '1.0.1'
  readonly info: { readonly title: string; readonly version: string }
  readonly sourceDescriptions: readonly { readonly name: string; readonly type: 'openapi'; readonly url: string }[]
  readonly workflows: readonly { readonly workflowId: string; readonly steps: readonly Step[] }[]
}

interface Step {
  readonly stepId: string
  readonly operationPath: string
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly value: string }[]
  readonly requestBody?: { readonly contentType: string; readonly payload: unknown }
  readonly successCriteria: readonly { readonly condition: string }[]
}

/** Creates one workflow per operation, with one step per example. */
export function createArazzo(fixtures: EmulatorFixtures): Arazzo {
  const byOperation = Object.groupBy(createExamples(fixtures), ({ operation }) => operation.name)
  return {
    arazzo: '1.0.1',
    info: { title: 'What the fixtures can provoke', version: '1.0.0' },
    sourceDescriptions: Object.keys(contracts).map((name) => ({ name, type: 'openapi', url: `./${name}.json` })),
    workflows: Object.entries(byOperation).map(([workflowId, examples = []]) => ({
      workflowId,
      steps: examples.map(stepOf),
    })),
  }
}

function stepOf({ operation, situation, pathParameters, headers, query, requestBody, status }: Example): Step {
  const parametersIn = (place: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => ({ in: place, name, value }))
  return {
    stepId: situation,
    operationPath: `{$sourceDescriptions.${operation.interface}.url}#/paths/${operation.path.replaceAll('/', '~1')}/${operation.method}`,
    parameters: [
      ...parametersIn('path', pathParameters),
      ...parametersIn('header', headers),
      ...parametersIn('query', query),
    ],
    ...(requestBody && { requestBody: { contentType: requestBody.mediaType, payload: requestBody.payload } }),
    successCriteria: [{ condition: conditionOf(status) }],
  }
}

function conditionOf(status: string): string {
  return /^\d+$/.test(status)
    ? `$statusCode == ${status}`
    : `$statusCode >= ${status[0]}00 && $statusCode < ${status[0]}99`
}
