// Starts `serqc lsp` for serQ programs. Everything else is the server's.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

/** Starts the server that the settings name. */
async function start() {
  const command = vscode.workspace.getConfiguration('serq').get('command', 'serqc');
  client = new LanguageClient(
    'serq',
    'serQ',
    { command, args: ['lsp'] },
    {
      documentSelector: [
        { scheme: 'file', language: 'serq' },
        { scheme: 'untitled', language: 'serq' },
      ],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.sq') },
    },
  );
  try {
    await client.start();
  } catch (why) {
    client = undefined;
    vscode.window.showErrorMessage(
      `Cannot start \`${command} lsp\`: ${why.message}. Install serqc, or set \`serq.command\`.`,
    );
  }
}

/** Stops the server, if it runs. */
async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('serq.restart', async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('serq.command')) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
