// The documentation as static pages: Markdown of the repository as it is, and the few files that it links to.
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const linked = new Set()
const kept = new Set()

/** The groups of docs/README.md, which lists every page, are the side bar. */
function sidebar() {
  const groups = []
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)/.exec(line)
    const page = /^\| \[[^\]]+\]\(([\w./-]+\.md)\)/.exec(line)
    if (heading) {
      groups.push({ text: heading[1], items: [] })
    } else if (page) {
      const file = join('docs', page[1])
      const title = /^# (.+)/m.exec(readFileSync(join(root, file), 'utf8'))[1]
      groups.at(-1).items.push({ text: title, link: '/' + file })
    }
  }
  return groups.filter(group => group.items.length)
}

/** What a link of a page names in the repository, if that is no page: a file is copied beside the pages. */
function target(href, page) {
  const path = resolve(root, dirname(page), href.split('#')[0])
  const found = /^(\w+:|[#/])/.test(href) || path.endsWith('.md') ? undefined : statSync(path, { throwIfNoEntry: false })
  return { file: found?.isFile() ? relative(root, path) : '', isFolder: found?.isDirectory() }
}

export default {
  title: 'Spillway',
  description: 'A multi-tenant queue on Kafka whose backlogs cannot become insurmountable',
  outDir: process.env.SITE_OUT,
  rewrites: page => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    config(md) {
      const open = md.renderer.rules.link_open
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const href = tokens[index].attrGet('href') ?? ''
        const to = target(href, env.relativePath ?? '')
        if (to.file) {
          linked.add(to.file)
          kept.add(to.file.replace(/.*\//, ''))
          tokens[index].attrSet('target', '_self') // Not a page, so not for the router of the site.
        } else if (to.isFolder) {
          tokens[index].tag = 'span'
          tokens[index].attrs = []
          tokens.slice(index).find(token => token.type === 'link_close').tag = 'span'
          return self.renderToken(tokens, index, options)
        }
        return open ? open(tokens, index, options, env, self) : self.renderToken(tokens, index, options)
      }
    },
  },
  ignoreDeadLinks: [url => kept.has(url.replace(/.*\//, ''))],
  themeConfig: { search: { provider: 'local' }, sidebar: sidebar(), outline: 'deep' },
  buildEnd(site) {
    for (const file of linked) {
      const to = join(site.outDir, file)
      mkdirSync(dirname(to), { recursive: true })
      cpSync(join(root, file), to)
    }
  },
}
