import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import type { Rule, RuleContext } from '../rule.ts'

/**
 * Every top-level key of an area file is a path item, except `components`. `paths` of openapi.yaml must link each path item by
 * `$ref`. Without the link, the operation would be missing, and no tool would report that.
 */
export const linkedPaths: Rule = () => ({
  Root({ paths = {} }: { paths?: Readonly<Record<string, { $ref?: string }>> }, { report, location }: RuleContext) {
    const entry = location.source.absoluteRef
    if (basename(entry) !== 'openapi.yaml') return // an imported contract
    const linked = new Set(Object.values(paths).map((item) => item.$ref?.replace(/^\.\//, '')))
    for (const file of areaFiles(entry)) {
      for (const key of topLevelKeys(readFileSync(join(dirname(entry), file), 'utf8'))) {
        const reference = `${file}#/${key}`
        if (!linked.has(reference))
          report({
            message: `No path links \`${reference}\`; add \`$ref: ${reference}\`.`,
            location: location.child('paths'),
          })
      }
    }
  },
})

/** The YAML files in the folder of `entry`, without overlays. */
function areaFiles(entry: string): string[] {
  return readdirSync(dirname(entry)).filter(
    (file) => file.endsWith('.yaml') && file !== basename(entry) && !file.endsWith('.overlay.yaml'),
  )
}

/** Returns the keys at the start of a line. In YAML of the block style, these are the top-level keys. */
function topLevelKeys(yaml: string): string[] {
  const keys = [...yaml.matchAll(/^(["']?)([^\s"'#:-][^\s"':]*)\1\s*:/gm)].map(([, , key]) => defined(key))
  return keys.filter((key) => key !== 'components')
}
