from django import template

from fitness.web import language

register = template.Library()

page_language = register.simple_tag(language.current, name="page_language")
