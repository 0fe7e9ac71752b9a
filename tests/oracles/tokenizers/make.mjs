// Makes small tokenizers of every kind, texts in many scripts, and what two programs make of them: `tokenizers` (the
// format's own) and `@huggingface/transformers`. Where they differ, the first one counts, and the number is printed.
// In a folder outside of the repository:
//   npm install --ignore-scripts tokenizers@0.23.2 @huggingface/transformers@4.3.1 && node .../make.mjs
import fs from 'fs'
import { createRequire } from 'module'

const folder = new URL('.', import.meta.url).pathname
const require = createRequire(`${process.cwd()}/`)
const { Tokenizer } = require('tokenizers')
const { PreTrainedTokenizer } = require('@huggingface/transformers')

const sentences = [
  'The quick brown fox jumps over the lazy dog.',
  "It's 3.14159 o'clock; don't you think we'll see what they've done? I'M sure SHE'D know.",
  'Größe, Straße, naïve café, façade, Ångström und Übermut',
  'Привет, мир! Съешь ещё этих мягких французских булок, да выпей чаю',
  'Γειά σου Κόσμε, ὀδυσσεύς και η θάλασσα',
  'שלום עולם, מה שלומך היום? שָׁלוֹם',
  'مرحبا بالعالم، كيف حالك؟ مُحَمَّد ١٢٣',
  'สวัสดีชาวโลก ภาษาไทยไม่มีช่องว่าง',
  'नमस्ते दुनिया, क्षत्रिय १२३',
  '你好，世界！我爱北京天安门。漢字',
  'こんにちは世界。カタカナ ﾊﾝｶｸ ゴジラ',
  '안녕하세요 세계 한국어',
  'বাংলা ভাষা, தமிழ் மொழி, ქართული ენა, አማርኛ',
]
const awkward = [
  '', ' ', '   leading and   trailing   ', 'a'.repeat(150), 'supercalifragilistic'.repeat(6),
  '😀 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 🫠', 'e\u0301 a\u0308\u0323 \u0301alone A\u030a', '\0\x01\x07\x1b[31m\x7f\x80\x85\x9f',
  'zero\u200bwidth\u200c\u200d\u2060\ufeff bom\u00adsoft', 'tab\tnew\nline\r\nreturn\u2028sep\u00a0nbsp\u3000wide\u2003em',
  'ﬁ ﬂ Ⅷ ½ ² ™ ㎏ ＡＢＣ １２３ …', 'İstanbul ıi ǅ ß ẞ ΟΔΟΣ', '[CLS] [MASK] [SEP] <s> </s> <unk> <mask> <|endoftext|> <pad>',
  '[mask]<|ENDOFTEXT|> brown[MASK]brown   [MASK]', "``quoted'' \"text\" don’t “smart” – — …",
  'https://example.com/a?b=c&d=e#f foo@bar.org C++ snake_case', '1234567890 12,345.67 0x1F Ⅻ ೧೨', '\u{20000} 𠮷 \ue000 \u0378',
  '▁already ▁▁meta Ġbyte Ã© <0x0A>', '\r\n\r\n \n\n\n  \t x', 'ｅ\u0301 \u212b \u1e9b\u0323 가 각 नि ำ', 'Brown brownish brown_ brown', 'z̷̡̛a͜͡l̈́g̀o',
]
const broken = ['fffe626164c328e282f09f98', '80', '6f6b20f490808020eda080c08078e2']

let state = 12345
const random = (n) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % 65521 % n
const words = [...sentences, ...awkward].flatMap((s) => s.split(' '))
const mixed = Array.from({ length: 40 }, () =>
  Array.from({ length: 1 + random(7) }, () => words[random(words.length)]).join([' ', ' ', '', '  ', '\n'][random(5)]))
const texts = [...[...sentences, ...awkward, ...mixed].map((s) => Buffer.from(s).toString('hex')), ...broken]

// Vocabularies, learned in the plainest way from the sentences and some of their words again.
const corpus = [...sentences, ...sentences.slice(0, 3), awkward[13], awkward[15]]
const count = (list) => {
  const counts = new Map()
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}
const numbered = (tokens) => Object.fromEntries([...new Set(tokens)].map((token, i) => [token, i]))
const pieces = (word, longest) => {
  const c = [...word]
  return c.flatMap((_, i) => Array.from({ length: Math.min(longest, c.length - i) }, (_, n) => [i, c.slice(i, i + n + 1).join('')]))
}

function wordPiece(specials, prepare, prefix = '##') {
  const parts = corpus.flatMap((s) => prepare(s).split(/[\s\p{P}]+/u)).filter(Boolean)
    .flatMap((word) => pieces(word, 12).map(([at, text]) => (at ? prefix : '') + text))
  const marks = [...new Set(corpus.join('').match(/\p{P}/gu))]
  const kept = count(parts).filter(([text, n]) => n > 1 || [...text.replace(prefix, '')].length === 1).slice(0, 700)
  return { type: 'WordPiece', unk_token: specials[1], continuing_subword_prefix: prefix, max_input_chars_per_word: 100,
    vocab: numbered([...specials, ...marks, ...kept.map(([text]) => text)]) }
}

function bpe(specials, alphabet, words, options, merges = 350, pairs = false) {
  const suffix = options.end_of_word_suffix ?? ''
  const prefix = options.continuing_subword_prefix ?? ''
  const symbols = words.filter(Boolean).map((word) => [...word].map((c, i, all) => (i ? prefix : '') + c + (i + 1 === all.length ? suffix : '')))
  const vocab = new Set([...specials, ...alphabet.flatMap((c) => [c, ...(suffix ? [c + suffix] : []), ...(prefix ? [prefix + c] : [])])])
  const learned = []
  while (learned.length < merges) {
    const best = count(symbols.flatMap((word) => word.slice(1).map((right, i) => JSON.stringify([word[i], right]))))[0]
    if (!best || best[1] < 2) break
    const [left, right] = JSON.parse(best[0])
    const joined = left + right.slice(prefix.length)
    learned.push(pairs ? [left, right] : `${left} ${right}`)
    vocab.add(joined)
    for (const word of symbols)
      for (let i = 0; i + 1 < word.length; ++i)
        if (word[i] === left && word[i + 1] === right) word.splice(i, 2, joined)
  }
  return { type: 'BPE', dropout: null, unk_token: null, fuse_unk: false, byte_fallback: false, ...options, vocab: numbered(vocab), merges: learned }
}

function unigram(specials, prepare, options) {
  const parts = corpus.flatMap((s) => prepare(s).split(/\s+/)).filter(Boolean).flatMap((word) => pieces('▁' + word, 8).map(([, text]) => text))
  const kept = count(parts).filter(([text, n]) => n > 1 || (text.length === 1 && text < 'ก')).slice(0, 700)
  const total = kept.reduce((sum, [, n]) => sum + n, 0)
  return { type: 'Unigram', ...options,
    vocab: [...specials.map((token) => [token, 0]), ...kept.map(([text, n]) => [text, Math.log(n / total)])] }
}

// The 256 characters that stand for bytes, as Latin-1 and U+0100 .. have it.
const byteNames = (() => {
  let next = 256
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint((b > 32 && b < 127) || (b > 160 && b !== 173) ? b : next++))
})()
const asBytes = (text) => [...Buffer.from(text)].map((b) => byteNames[b]).join('')
const gpt2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu
const byteWords = (s, pattern = gpt2) => (s.match(pattern) ?? []).map(asBytes)
const rawBytes = Array.from({ length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`)

// A double-array trie from texts to replacements, as SentencePiece compiles it.
function charsMap(map) {
  let replacements = ''
  const root = { next: new Map() }
  for (const [from, to] of Object.entries(map)) {
    let node = root
    for (const b of Buffer.from(from)) {
      if (!node.next.has(b)) node.next.set(b, { next: new Map() })
      node = node.next.get(b)
    }
    node.value = Buffer.byteLength(replacements)
    replacements += to + '\0'
  }
  const units = [], taken = new Set([0]), bases = new Set()
  const place = (node, at) => {
    const labels = [...node.next.keys(), ...(node.value === undefined ? [] : [0])].sort((a, b) => a - b)
    let base = 1
    while (bases.has(base) || labels.some((c) => taken.has(base ^ c))) ++base
    bases.add(base)
    labels.forEach((c) => taken.add(base ^ c))
    units[at] = (units[at] ?? 0) | ((at ^ base) << 10) | (node.value === undefined ? 0 : 256)
    if (node.value !== undefined) units[base] = node.value | (1 << 31)
    for (const [c, child] of node.next) units[base ^ c] = c
    for (const [c, child] of node.next) place(child, base ^ c)
  }
  place(root, 0)
  const bytes = Buffer.alloc(4 + 4 * Math.ceil(units.length / 256) * 256)
  bytes.writeUInt32LE(bytes.length - 4)
  units.forEach((unit, i) => bytes.writeInt32LE(unit, 4 + 4 * i))
  return Buffer.concat([bytes, Buffer.from(replacements)]).toString('base64')
}
const precompiled = { type: 'Precompiled', precompiled_charsmap: charsMap({
  '\n': ' ', '\t': ' ', '\r': ' ', '\u00a0': ' ', '\u3000': ' ', '\u2003': ' ', '\u200b': '', '\ufeff': '', '\u00ad': '', 'ﬁ': 'fi', 'ﬂ': 'fl', 'Ⅷ': 'VIII', '½': '1⁄2', '²': '2',
  '™': 'TM', '㎏': 'kg', '…': '...', 'Ａ': 'A', 'Ｂ': 'B', 'Ｃ': 'C', '１': '1', 'ｅ': 'e', 'ｅ\u0301': 'é', 'ﾊ': 'ハ', 'ﾝ': 'ン', 'e\u0301': 'é', '\u212b': 'Å', 'A\u030a': 'Å', 'ß': 'ß' }) }

const token = (id, content, more = {}) =>
  ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more })
const template = (before, after, types = [0, 0, 0]) => ({
  type: 'TemplateProcessing',
  single: [...before.map(([id]) => ({ SpecialToken: { id, type_id: types[0] } })), { Sequence: { id: 'A', type_id: types[1] } },
    ...after.map(([id]) => ({ SpecialToken: { id, type_id: types[2] } }))],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
  special_tokens: Object.fromEntries([...before, ...after].map(([id, n]) => [id, { id, ids: [n], tokens: [id] }])) })
const sequence = (name, parts) => ({ type: 'Sequence', [name]: parts })
const regex = (pattern, behavior, invert = false) => ({ type: 'Split', pattern: { Regex: pattern }, behavior, invert })
const lower = (s) => s.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '')
const bert = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const bertTokens = bert.map((content, id) => token(id, content))
const bertTemplate = template([['[CLS]', 2]], [['[SEP]', 3]])
const t5 = ['<pad>', '</s>', '<unk>', '<s>']
const t5Tokens = t5.map((content, id) => token(id, content))
const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }
const clipPattern = "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"
const clipWords = corpus.flatMap((s) => s.toLowerCase().match(new RegExp(clipPattern, 'gu'))).map(asBytes)
const newPattern = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
const newWords = corpus.flatMap((s) => byteWords(s, /[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+/gu))
const letters = [...new Set([...corpus.join('')].filter((c) => c > ' ' && c < 'א'))]
const unknown = (options) => ({ unk_id: 2, byte_fallback: false, ...options })

const xlm = unigram(t5, (s) => s, unknown())
const marked = bpe(['<unk>', '<s>', '</s>', ...rawBytes], ['▁', ...letters], corpus.flatMap((s) => s.split(' ')).map((w) => '▁' + w).map((w) => [...w].filter((c) => c === '▁' || letters.includes(c)).join('')),
      { unk_token: '<unk>', fuse_unk: true, byte_fallback: true })

const tokenizers = {
  bert: { normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' }, model: wordPiece(bert, lower), post_processor: bertTemplate, added_tokens: bertTokens },
  bert_cased: { normalizer: { type: 'BertNormalizer', clean_text: false, handle_chinese_chars: false, strip_accents: false, lowercase: false },
    pre_tokenizer: { type: 'BertPreTokenizer' }, model: wordPiece(bert, (s) => s),
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] }, added_tokens: bertTokens },
  clip: { normalizer: sequence('normalizers', [{ type: 'NFC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, { type: 'Lowercase' }]),
    pre_tokenizer: sequence('pretokenizers', [regex(clipPattern, 'Removed', true), { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }]),
    model: bpe(['<|startoftext|>', '<|endoftext|>'], byteNames, clipWords, { unk_token: '<|endoftext|>', continuing_subword_prefix: '', end_of_word_suffix: '</w>' }),
    post_processor: { type: 'RobertaProcessing', sep: ['<|endoftext|>', 1], cls: ['<|startoftext|>', 0], trim_offsets: false, add_prefix_space: false },
    added_tokens: [token(0, '<|startoftext|>', { normalized: true }), token(1, '<|endoftext|>')] },
  gpt2: { normalizer: null, pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
    model: bpe(['<|endoftext|>'], byteNames, corpus.flatMap((s) => byteWords(s)), {}),
    post_processor: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false }, added_tokens: [token(0, '<|endoftext|>')] },
  roberta: { normalizer: null, pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true },
    model: bpe(['<s>', '<pad>', '</s>', '<unk>', '<mask>'], byteNames, corpus.flatMap((s) => byteWords(' ' + s)), {}, 350, true),
    post_processor: { type: 'RobertaProcessing', sep: ['</s>', 2], cls: ['<s>', 0], trim_offsets: true, add_prefix_space: true },
    added_tokens: [token(0, '<s>'), token(2, '</s>'), token(4, '<mask>', { lstrip: true })] },
  llama: { normalizer: sequence('normalizers', [{ type: 'Prepend', prepend: '▁' }, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }]),
    pre_tokenizer: null, model: marked,
    post_processor: template([['<s>', 1]], []), added_tokens: [token(0, '<unk>'), token(1, '<s>'), token(2, '</s>')] },
  mistral: { normalizer: null, pre_tokenizer: { ...metaspace, prepend_scheme: 'first', split: false }, model: marked,
    post_processor: template([['<s>', 1]], []), added_tokens: [token(0, '<unk>'), token(1, '<s>'), token(2, '</s>')] },
  llama3: { normalizer: null,
    pre_tokenizer: sequence('pretokenizers', [regex(newPattern, 'Isolated'), { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }]),
    model: bpe(['<|endoftext|>'], [...byteNames, 'Ġquick', 'lazy'], newWords, { ignore_merges: true }),
    post_processor: sequence('processors', [{ type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true }, template([['<|endoftext|>', 0]], [])]),
    added_tokens: [token(0, '<|endoftext|>')] },
  t5: { normalizer: precompiled, pre_tokenizer: sequence('pretokenizers', [{ type: 'WhitespaceSplit' }, metaspace]),
    model: unigram(t5, (s) => s, unknown()), post_processor: template([], [['</s>', 1]]), added_tokens: t5Tokens },
  xlm_roberta: { normalizer: sequence('normalizers', [precompiled, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }]),
    pre_tokenizer: metaspace, model: xlm,
    post_processor: template([['<s>', 3]], [['</s>', 1]]), added_tokens: [...t5Tokens, token(xlm.vocab.length, '<mask>', { lstrip: true })] },
  albert: { normalizer: sequence('normalizers', [{ type: 'Replace', pattern: { String: '``' }, content: '"' }, { type: 'Strip', strip_left: true, strip_right: true },
      { type: 'NFKD' }, { type: 'StripAccents' }, { type: 'Lowercase' }, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }]),
    pre_tokenizer: { ...metaspace, split: false },
    model: unigram([...t5, ...rawBytes], lower, unknown({ byte_fallback: true })),
    post_processor: template([['<s>', 3]], [['</s>', 1]], [1, 0, 2]), added_tokens: t5Tokens },
  words: { normalizer: sequence('normalizers', [{ type: 'NFKC' }, { type: 'Lowercase' }]),
    pre_tokenizer: sequence('pretokenizers', [{ type: 'Whitespace' }, { type: 'Digits', individual_digits: true }]),
    model: bpe(bert, letters.map((c) => c.toLowerCase()), corpus.flatMap((s) => s.toLowerCase().match(/\p{L}+/gu)).map((w) => [...w].filter((c) => letters.includes(c)).join('')),
      { unk_token: '[UNK]', continuing_subword_prefix: '##' }),
    post_processor: null, added_tokens: [...bertTokens.slice(0, 4), token(4, '[MASK]', { normalized: true, rstrip: true, special: false }),
      token(0, 'brown', { single_word: true, normalized: true, special: false })] },
  marks: { normalizer: sequence('normalizers', [{ type: 'NFD' }, { type: 'Strip', strip_left: false, strip_right: true }]),
    pre_tokenizer: sequence('pretokenizers', [{ type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithNext', invert: false }, { type: 'Digits', individual_digits: false },
      { type: 'Punctuation', behavior: 'MergedWithPrevious' }, regex('[aeiou]+', 'Contiguous')]),
    model: bpe(bert, [' ', ...letters], corpus.flatMap((s) => s.match(/ ?\p{L}+/gu)).map((w) => [...w].filter((c) => c === ' ' || letters.includes(c)).join('')),
      { unk_token: '[UNK]', fuse_unk: true }, 200, true), post_processor: null, added_tokens: [] },
}

let differ = 0, all = 0
for (const [name, parts] of Object.entries(tokenizers)) {
  const json = { version: '1.0', truncation: null, padding: null, ...parts, decoder: null }
  const path = `${folder}/${name}.json`
  fs.writeFileSync(path, JSON.stringify(json))
  const first = Tokenizer.fromFile(path)
  const second = new PreTrainedTokenizer(json, {})
  const answers = []
  for (const hex of texts) {
    const text = Buffer.from(hex, 'hex').toString('utf8')
    const encoding = await first.encode(text, null)
    const ids = encoding.getIds(), types = encoding.getTypeIds()
    let other
    try { other = second.encode(text) } catch (error) { other = [String(error)] }
    ++all
    if (JSON.stringify(other) !== JSON.stringify(ids)) { ++differ; if (process.argv[2] === name) console.log(JSON.stringify(text), ids.join(), other.join()) }
    answers.push(types.some(Boolean) ? { ids, types } : { ids })
  }
  first.setTruncation(8)
  const cut = []
  for (const hex of texts.slice(0, 13)) cut.push((await first.encode(Buffer.from(hex, 'hex').toString('utf8'), null)).getIds())
  fs.writeFileSync(`${folder}/${name}.expected.json`, JSON.stringify({ answers, cut }))
}
fs.writeFileSync(`${folder}/texts.json`, JSON.stringify(texts))
console.log(`${all - differ} of ${all} answers are those of both programs`)
