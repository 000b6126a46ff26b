// An issuer of OpenID Connect for tests: its page is a form with a name, as a user would see one.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

export class Issuer {
  static async start() {
    const issuer = new Issuer()
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    issuer.key = privateKey
    issuer.keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' }] }
    issuer.codes = new Map()
    issuer.seconds = 600
    issuer.http = createServer((request, reply) => issuer.answer(request, reply))
    await new Promise((resolve) => issuer.http.listen(0, '127.0.0.1', resolve))
    issuer.address = `http://127.0.0.1:${issuer.http.address().port}`
    return issuer
  }

  stop() {
    this.http.closeAllConnections()
    return new Promise((resolve) => this.http.close(resolve))
  }

  async answer(request, reply) {
    const { pathname, searchParams } = new URL(request.url, this.address)
    const json = (value, status = 200) => reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json({ issuer: this.address, jwks_uri: `${this.address}/keys`, authorization_endpoint: `${this.address}/page`, token_endpoint: `${this.address}/token` })
      case '/keys':
        return json(this.keys)
      case '/page': {
        const fields = [...searchParams].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`).join('')
        return reply.writeHead(200, { 'content-type': 'text/html' }).end(`<form action="/done">${fields}<label>Name <input name="name"></label><button>Continue</button><button name="no" value="1">Refuse</button></form>`)
      }
      case '/done': {
        const target = new URL(searchParams.get('redirect_uri'))
        target.searchParams.set('state', searchParams.get('state'))
        if (searchParams.has('no')) {
          target.searchParams.set('error', 'access_denied')
        } else {
          const code = String(this.codes.size)
          this.codes.set(code, searchParams)
          target.searchParams.set('code', code)
        }
        return reply.writeHead(303, { location: target.href }).end()
      }
      case '/token': {
        let body = ''
        for await (const part of request) body += part
        const form = new URLSearchParams(body)
        const asked = this.codes.get(form.get('code'))
        const challenge = createHash('sha256').update(form.get('code_verifier')).digest('base64url')
        if (!asked || challenge !== asked.get('code_challenge')) return json({ error: 'invalid_grant' }, 400)
        const now = Math.floor(Date.now() / 1000)
        const claims = { iss: this.address, aud: asked.get('client_id'), sub: asked.get('name'), nonce: asked.get('nonce'), iat: now, exp: now + this.seconds }
        const signed = `${encode({ alg: 'RS256', kid: 'k' })}.${encode(claims)}`
        return json({ id_token: `${signed}.${sign('sha256', Buffer.from(signed), this.key).toString('base64url')}` })
      }
      default:
        return json({}, 404)
    }
  }
}
