import type { Rule, RuleContext } from '../rule.ts'

interface Tag {
  readonly name: string
  readonly 'x-unspecified'?: unknown
}

/** An area has operations. Otherwise, an `x-unspecified` must say that the spec shows none, so that no gap stays unnoticed. */
export const areaShown: Rule = () => {
  const used = new Set<string>()
  return {
    Operation({ tags = [] }: { tags?: readonly string[] }) {
      for (const tag of tags) used.add(tag)
    },
    Root: {
      leave({ tags = [] }: { tags?: readonly Tag[] }, { report, location }: RuleContext) {
        for (const [index, tag] of tags.entries()) {
          const at = location.child(['tags', index])
          const unspecified = tag['x-unspecified'] !== undefined
          if (unspecified && used.has(tag.name))
            report({
              message: `The area \`${tag.name}\` has operations; remove its \`x-unspecified\`.`,
              location: at,
            })
          if (!unspecified && !used.has(tag.name))
            report({
              message: `The area \`${tag.name}\` has no operation; add \`x-unspecified\`.`,
              location: at,
            })
        }
      },
    },
  }
}
