def test_an_unknown_address_is_the_envelope(nobody):
    response = nobody.get("/nothing")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"
