/// <reference types="vitest/config" />
import { defineConfig } from 'vite'

// In development the pages come from Vite, and the API from a server at this address.
const server = process.env.PERSEA ?? 'http://127.0.0.1:8529'

export default defineConfig({
  // The server has the same pages below every database, so all addresses are relative.
  base: './',
  build: {
    target: 'es2022',
    // Tells which files the first page needs.
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { '^(/_db/[^/]+)?/_(api|open|admin/(?!aardvark))': server } },
  test: { include: ['src/**/*.test.ts'] },
})
