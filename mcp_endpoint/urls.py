from django.urls import path

from mcp_endpoint.views import endpoint

tools = [
    path("mcp", endpoint, name="mcp"),
    path("mcp/", endpoint),  # a redirect would lose the POST
]
