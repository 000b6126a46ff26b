import { describe, expect, it } from 'vitest'
import { format } from './format'
import { tokens } from './tokens'

/** A query and its usual form. */
const CASES: [string, string][] = [
  ['for d in docs filter d.n>5&&d.filter!=-1 sort d.n desc limit 5,10 return d', 'FOR d IN docs\n  FILTER d.n > 5 && d.filter != -1\n  SORT d.n DESC\n  LIMIT 5, 10\n  RETURN d\n'],
  ['FOR a IN x FOR b IN y RETURN {a,b,c:[ 1,2 ],  "d": a?b:{ }}', 'FOR a IN x\n  FOR b IN y\n    RETURN { a, b, c: [1, 2], "d": a ? b : {} }\n'],
  ['RETURN LENGTH( FOR i IN 1..3 RETURN i )', 'RETURN LENGTH(FOR i IN 1..3 RETURN i)\n'],
  ['RETURN p.vertices[*].name[* filter CURRENT!="x" return CURRENT][**]', 'RETURN p.vertices[*].name[* FILTER CURRENT != "x" RETURN CURRENT][**]\n'],
  ['UPSERT {a:1} INSERT {a:1} UPDATE {n:OLD.n+1} IN docs OPTIONS {waitForSync:true}', 'UPSERT { a: 1 }\nINSERT { a: 1 }\nUPDATE { n: OLD.n + 1 } IN docs OPTIONS { waitForSync: true }\n'],
  ['for d in docs collect c=d.city with count into n return {c,count:n}', 'FOR d IN docs\n  COLLECT c = d.city WITH COUNT INTO n\n  RETURN { c, count: n }\n'],
  ['return not (a or b) and x in (1) and count(x) - -1', 'RETURN NOT (a OR b) AND x IN (1) AND count(x) - -1\n'],
  ['FOR v,e IN 1..2 OUTBOUND @start GRAPH "g" PRUNE v.x RETURN v', 'FOR v, e IN 1..2 OUTBOUND @start GRAPH "g"\n  PRUNE v.x\n  RETURN v\n'],
]

describe('formatting', () => {
  it.each(CASES)('of %s', (query, expected) => {
    expect(format(query)).toBe(expected)
  })

  it('breaks what is too long for a line', () => {
    const query = 'LET found = (FOR d IN documents FILTER d.name == "some longer name of it" AND d.value > 1000000 OR d.other == null RETURN { name: d.name, value: d.value }) RETURN found'
    expect(format(query)).toBe(
      `LET found = (
  FOR d IN documents
    FILTER d.name == "some longer name of it"
      AND d.value > 1000000
      OR d.other == null
    RETURN { name: d.name, value: d.value }
)
RETURN found
`,
    )
  })

  it('keeps comments and blank lines', () => {
    const query = '// all of them\nFOR d IN docs // first\n\n\n  // those with n\nFILTER d.n /* a number */ > 5\nRETURN {a: 1, // one\n  b: 2}\n// the end'
    expect(format(query)).toBe(
      `// all of them
FOR d IN docs // first

  // those with n
  FILTER d.n /* a number */ > 5
  RETURN {
    a: 1, // one
    b: 2
  }
  // the end
`,
    )
  })

  it('leaves a text with a mistake as it is', () => {
    for (const query of [`RETURN ${'('.repeat(9999)}1${')'.repeat(9999)}`, 'RETURN (1', 'RETURN "a', 'RETURN ]', 'RETURN #', '', '  ']) expect(format(query)).toBe(query)
  })

  it('changes no token of any query of the tests, and nothing twice', () => {
    const files = Object.values(import.meta.glob<string>('../../../tests/aql/**/*.test', { query: '?raw', import: 'default', eager: true }))
    expect(files.length).toBeGreaterThan(20)
    for (const file of files) {
      for (const query of file.split(/\n\n+/)) {
        const formatted = format(query)
        const texts = (text: string) => tokens(text)?.map((token) => token.text.toUpperCase())
        expect(texts(formatted)).toEqual(texts(query))
        expect(format(formatted)).toBe(formatted)
      }
    }
  })
})
