import { expect, it } from 'vitest'
import { curl, Failure, path } from './api'

it('encodes names in paths', () => {
  expect(path`/_api/document/${'a/b'}/${'ü ?'}`).toBe('/_api/document/a%2Fb/%C3%BC%20%3F')
})

it('is a command line whose words no shell takes apart', () => {
  const call = { method: 'POST', path: '/_api/cursor', body: { query: "RETURN 'x'; `rm`" }, headers: { 'if-match': '"1"' } } as const
  expect(curl(call, 'a b', 'http://h:1', 'root')).toBe(
    `curl -X POST -u root http://h:1/_db/a%20b/_api/cursor -H 'if-match: "1"' --data-binary '{"query":"RETURN '\\''x'\\''; \`rm\`"}'`,
  )
})

it('has no password', () => {
  const call = { method: 'POST', path: '/_api/user', body: { passwd: 'secret' }, isSecret: true } as const
  expect(curl(call, 'd', 'http://h', null)).toBe("curl -X POST http://h/_db/d/_api/user --data-binary @-")
})

it('fails with the error of the server, or with the status', () => {
  expect(Failure.of(404, '{"errorMessage":"not there","errorNum":1203}')).toMatchObject({ message: 'not there', number: 1203, status: 404 })
  expect(Failure.of(502, '<html>').message).toContain('502')
})
