/** Where the tools of the Model Context Protocol are served, below the dashboard's address. */
export const MCP_PATH = '/mcp';
