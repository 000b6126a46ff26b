/// <reference types="vitest/config" />
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

// In development the pages come from Vite, and the API from a server at this address.
const server = process.env.PERSEA ?? 'http://127.0.0.1:8529'

/**
 * Names the files of the first page in `index.html`, so that the browser asks for all of them at
 * once and has them when the server has told if it wants a user.
 */
const preloads: Plugin = {
  name: 'preloads',
  transformIndexHtml(_, { bundle = {} }) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
    const first = chunks.find((one) => one.facadeModuleId?.endsWith('src/page/Queries.tsx'))
    const files = new Set<string>()
    const add = (name: string) => {
      if (files.has(name)) return
      files.add(name)
      chunks.find((one) => one.fileName === name)?.imports.forEach(add)
    }
    if (first) add(first.fileName)
    for (const entry of chunks.filter((one) => one.isEntry)) for (const known of [entry.fileName, ...entry.imports]) files.delete(known)
    const tag = (file: string): HtmlTagDescriptor => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` }, injectTo: 'head' })
    return [...files].map(tag)
  },
}

export default defineConfig({
  plugins: [preloads],
  // The server has the same pages below every database, so all addresses are relative.
  base: './',
  build: {
    target: 'es2022',
    // Tells which files the first page needs.
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // What all pages share is one file: each further file is a further request.
      output: { codeSplitting: { groups: [{ name: 'base', test: /node_modules\/@?preact|src\/lib\/|src\/component\/(?!Editor)|src\/query\/(cursor|download|Downloads)/ }] } },
    },
  },
  server: { proxy: { '^(/_db/[^/]+)?/_(api|open|admin/(?!aardvark))': server } },
  test: { include: ['src/**/*.test.ts'] },
})
